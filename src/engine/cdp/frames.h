// The frames of one page, wherever they run, and the places to run script in them.
#pragma once

#include <deque>
#include <functional>
#include <list>
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

// A place where script runs. Another process may use `id` for something else, `unique` is never used again.
struct ScriptContext {
    int id = 0;
    std::string unique;
};

// Our own place in one document, isolated from the page's script. It goes with the document, and comes back
// with it from the back/forward cache.
struct World {
    ScriptContext context;
    int number = 0;         // of the prefix of the document's refs, as the document itself has it
    bool has_more = false;  // whether the second script is there, too
};

// One frame. An out-of-process frame has a session of its own.
struct Frame {
    std::string id;
    std::string parent;  // empty: the main frame
    std::string url;
    std::string loader;  // names the document
    int number = 0;      // of the prefix of the document's refs: 1 for f1; 0: the main frame's first document
    std::shared_ptr<Session> session;
    std::optional<ScriptContext> page_context;  // where the page's own script runs
    std::optional<ScriptContext> isolated;      // where ours will, or does
    std::shared_ptr<World> world = {};          // that, once our script is there
    using WorldResult = SharedResult<std::shared_ptr<World>>;
    std::shared_ptr<WorldResult> preparing = {};  // the world, while it is made
    bool children_in_order = true;                // whether all of them were seen to come
    std::set<std::string> lifecycle;              // "DOMContentLoaded", "load", ... of this document

    void forget_scripts() {
        page_context.reset();
        isolated.reset();
        world.reset();
    }
};

// An element as the browser knows it. Lets go of it when dropped.
class RemoteElement final : public engine::Element {
public:
    RemoteElement(std::shared_ptr<Session> session, std::string frame, std::string object,
                  std::string context)
        : session(std::move(session)),
          frame(std::move(frame)),
          object(std::move(object)),
          context(std::move(context)) {}
    ~RemoteElement() override;

    std::shared_ptr<Session> session;
    std::string frame;
    std::string object;
    std::string context;  // the unique name of the one that it is an object of
};

// An argument of a call: a JSON value or an element.
struct Argument {
    json::value value = nullptr;
    const RemoteElement* element = nullptr;

    Argument(json::value plain) : value(std::move(plain)) {}
    Argument(const RemoteElement& remote) : element(&remote) {}
};

// What the browser calls our worlds.
inline constexpr std::string_view kWorldName = "troupe";

// Which of our scripts a call uses. The second is loaded when it is first needed.
enum class Scripts { Snapshot, All };

// Follows the frames of a page over all its sessions. Lives on the main loop.
class Frames {
public:
    // The main frame has the page's own id.
    explicit Frames(std::string main) : main_(std::move(main)) {}
    Frames(const Frames&) = delete;

    // Listens on a session. The first one is the page's own.
    void attach(const std::shared_ptr<Session>& session);
    // Asks the session for its frames. The answer is taken in its place among the events, so that it is newer
    // than all that came before it and never replaces what comes behind it; `taken` is called then.
    void ask_tree(const std::shared_ptr<Session>& session, std::function<void(Result<void>)> taken = {});

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
    // The page's own world: what a page's script would see. Waits for a document that takes another's place;
    // what has begun to run is not run again.
    Task<json::value> call_in_page(std::string frame, std::string function, std::vector<Argument> arguments);
    // Moves an element to the page's own world, for scripts of the page's side.
    Task<std::shared_ptr<RemoteElement>> to_page_world(const RemoteElement& element);
    // The <iframe> that holds a frame.
    Task<std::shared_ptr<RemoteElement>> owner(std::string frame);
    // The frame that an <iframe> element holds; nothing when it is none.
    Task<std::optional<std::string>> content_frame(const RemoteElement& element);

    // Forgets the frames that run in a session which has ended.
    void remove_all_of(const Session& session);
    // Called with the id of a frame that is gone.
    std::function<void(const std::string& frame)> on_removed;
    // Called with the frame when its document was replaced, and on each lifecycle step.
    std::function<void(Frame&)> on_navigated;
    std::function<void(Frame&, const std::string& step)> on_lifecycle;
    std::function<void(Frame&)> on_url_changed;
    // Whether the browser has more urgent things to do than to get ready for what may come.
    std::function<bool()> is_crowded;

private:
    Frame& ensure(const std::string& id, const std::string& parent, const std::shared_ptr<Session>& session);
    void remove(const std::string& id);
    void take_tree(const std::shared_ptr<Session>& session, const json::object& tree,
                   const std::string& parent);
    void navigated(const std::shared_ptr<Session>& session, const json::object& frame, bool restored);
    struct Source;
    void listen_to_contexts(Source& source);
    // The documents of the page that goes may come back, and with them what their elements are called.
    void note_departure();
    std::optional<int> former_number(const Frame& frame) const;
    Task<std::shared_ptr<World>> troupe_world(std::string frame);
    Task<std::shared_ptr<World>> make_world(std::string frame, std::shared_ptr<Session> session);
    // Begins to make the world before somebody asks for it.
    void prepare_world(Frame& frame);
    void load_more(Session& session, World& world);
    // Once there is a moment, unless a call comes before that needs it.
    void load_more_soon(const Frame& frame);
    Task<> load_more_later(std::shared_ptr<Session> session);
    // In our world of the frame, again in the next document's when this one goes away.
    struct Ran {
        json::value result;
        std::string context;  // the unique name of where it ran
    };
    Task<Ran> run_in_world(std::string frame, std::string function, std::vector<Argument> arguments,
                           bool by_value, Scripts scripts);
    Task<json::value> run(std::shared_ptr<Session> session, std::string context, std::string function,
                          std::vector<Argument> arguments, bool by_value);
    // A command about a document; an error of the browser that means that it is gone says so in our words.
    Task<json::value> ask(std::shared_ptr<Session> session, std::string method, json::object params);

    struct Numbered {
        int number;
        std::weak_ptr<Session> session;
    };
    std::map<std::string, Frame, std::less<>> frames_;
    std::vector<std::string> order_;
    std::string main_;
    int last_number_ = 0;
    // By loader, for each of the last pages; the newest last.
    std::deque<std::map<std::string, Numbered>> departed_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // expires with this
    std::map<std::uint64_t, Running> preparing_;
    std::uint64_t last_preparing_ = 0;
    Running loading_more_;
    struct Source {
        std::shared_ptr<Session> session;
        std::vector<Subscription> subscriptions = {};
    };
    std::list<Source> sources_;
};

}  // namespace cdp
