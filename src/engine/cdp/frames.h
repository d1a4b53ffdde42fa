// The frames of one page, wherever they run, and the places to run script in them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/cdp/connection.h"
#include "engine/page.h"
#include "util/shared_result.h"

namespace cdp {

class Frames;

// One frame. An out-of-process frame has a session of its own.
struct Frame {
    std::string id;
    std::string parent;  // empty: the main frame
    std::string url;
    std::string loader;  // names the document
    int number = 0;      // of the prefix of its refs: 1 for f1; 0: the main frame's first document
    std::shared_ptr<Session> session;
    std::optional<int> page_context;                    // where the page's own script runs
    std::optional<int> troupe_context;                  // where ours does, isolated
    bool has_more = false;                              // whether the second script is there, too
    std::shared_ptr<SharedResult<int>> preparing = {};  // the world, while it is made
    std::set<std::string> lifecycle;                    // "DOMContentLoaded", "load", ... of this document
};

// An element as the browser knows it. Lets go of it when dropped.
class RemoteElement final : public engine::Element {
public:
    RemoteElement(std::shared_ptr<Session> session, std::string frame, std::string object)
        : session(std::move(session)), frame(std::move(frame)), object(std::move(object)) {}
    ~RemoteElement() override;

    std::shared_ptr<Session> session;
    std::string frame;
    std::string object;
};

// An argument of a call: a JSON value or an element.
struct Argument {
    json::value value = nullptr;
    const RemoteElement* element = nullptr;

    Argument(json::value plain) : value(std::move(plain)) {}
    Argument(const RemoteElement& remote) : element(&remote) {}
};

// Which of our scripts a call uses. The second is loaded when it is first needed.
enum class Scripts { Snapshot, All };

// Follows the frames of a page over all its sessions. Lives on the main loop.
class Frames {
public:
    // The main frame has the page's own id.
    explicit Frames(std::string main) : main_(std::move(main)) {}
    Frames(const Frames&) = delete;

    // Listens on a session; `tree` is what Page.getFrameTree gave. The first one is the page's own.
    void attach(const std::shared_ptr<Session>& session);
    void take_tree(const std::shared_ptr<Session>& session, const json::object& tree,
                   const std::string& parent);

    Frame* main();
    Frame* find(std::string_view id);
    Frame* find_numbered(int number);
    // The frames directly inside, in the order they came.
    std::vector<Frame*> children(std::string_view id);

    // Runs a function `(…args) => value` of ours in the frame's isolated world, where `troupe` is. Promises
    // are awaited.
    Task<json::value> call(std::string frame, std::string function, std::vector<Argument> arguments,
                           Scripts scripts = Scripts::All);
    // The same, for an element as result; null gives nothing.
    Task<std::shared_ptr<RemoteElement>> call_for_element(std::string frame, std::string function,
                                                          std::vector<Argument> arguments);
    // The page's own world: what a page's script would see.
    Task<json::value> call_in_page(std::string frame, std::string function, std::vector<Argument> arguments);
    // Moves an element to the page's own world, for scripts of the page's side.
    Task<std::shared_ptr<RemoteElement>> to_page_world(const RemoteElement& element);
    // The frame that an <iframe> element holds; nothing when it is none.
    Task<std::optional<std::string>> content_frame(const RemoteElement& element);

    // Called with the frame when its document was replaced, and on each lifecycle step.
    std::function<void(Frame&)> on_navigated;
    std::function<void(Frame&, const std::string& step)> on_lifecycle;
    std::function<void(Frame&)> on_url_changed;
    // Whether the browser has more urgent things to do than to get ready for what may come.
    std::function<bool()> is_crowded;

private:
    Frame& ensure(const std::string& id, const std::string& parent, const std::shared_ptr<Session>& session);
    void remove(const std::string& id);
    void navigated(const std::shared_ptr<Session>& session, const json::object& frame);
    Task<int> troupe_world(std::string frame);
    Task<int> make_world(std::string frame, std::shared_ptr<Session> session);
    // Begins to make the world before somebody asks for it.
    void prepare_world(Frame& frame);
    void load_more(Frame& frame);
    // Once there is a moment, unless a call comes before that needs it.
    void load_more_soon(const Frame& frame);
    Task<> load_more_later(std::shared_ptr<Session> session);
    // In our world of the frame, again in the next document's when this one goes away.
    Task<json::value> run_in_world(std::string frame, std::string function, std::vector<Argument> arguments,
                                   bool by_value, Scripts scripts);
    Task<json::value> run(std::shared_ptr<Session> session, int context, std::string function,
                          std::vector<Argument> arguments, bool by_value);

    std::map<std::string, Frame, std::less<>> frames_;
    std::vector<std::string> order_;
    std::string main_;
    int last_number_ = 0;
    std::map<std::uint64_t, Running> preparing_;
    std::uint64_t last_preparing_ = 0;
    Running loading_more_;
    std::vector<Subscription> subscriptions_;
};

}  // namespace cdp
