// The frames of one page, in all processes, and their script contexts.
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
#include "util/task_set.h"

namespace cdp {

class Frames;

// A script context. Another process may reuse `id`; `unique` is never reused.
struct ScriptContext {
    int id = 0;
    std::string unique;
};

// Our isolated world in one document. It ends with the document, and comes back with it from the back/forward
// cache.
struct World {
    ScriptContext context;
    int number = 0;         // prefix number of the document's refs, as stored in the document
    bool has_more = false;  // whether the second script is loaded, too
};

// One frame. An out-of-process frame has a session of its own.
struct Frame {
    std::string id;
    std::string parent;  // empty: the main frame
    std::string url;
    std::string loader;  // the document's id
    int number = 0;      // prefix number of the document's refs: 1 for f1; 0: the main frame's first document
    std::shared_ptr<Session> session;
    std::optional<ScriptContext> page_context;  // of the page's own script
    std::optional<ScriptContext> isolated;      // of our isolated world
    std::shared_ptr<World> world = {};          // set once our script is loaded in it
    using WorldResult = SharedResult<std::shared_ptr<World>>;
    std::shared_ptr<WorldResult> preparing = {};  // the world, while it is being created
    bool children_in_order = true;                // whether we saw every child frame attach
    std::set<std::string> lifecycle;              // "DOMContentLoaded", "load", ... of this document

    void forget_scripts() {
        page_context.reset();
        isolated.reset();
        world.reset();
    }
};

// A handle to an element in the browser. Releases it when dropped.
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
    std::string context;  // the unique id of its script context
};

// An argument of a call: a JSON value or an element.
struct Argument {
    json::value value = nullptr;
    const RemoteElement* element = nullptr;

    Argument(json::value plain) : value(std::move(plain)) {}
    Argument(const RemoteElement& remote) : element(&remote) {}
};

// The browser's name for our worlds.
inline constexpr std::string_view kWorldName = "troupe";

// Which of our scripts a call uses. The second is loaded on first use.
enum class Scripts { Snapshot, All };

// Tracks the frames of a page over all its sessions. Lives on the main loop.
class Frames {
public:
    // The main frame has the page's own id.
    explicit Frames(std::string main) : main_(std::move(main)) {}
    Frames(const Frames&) = delete;

    // Listens on a session. The first one is the page's own.
    void attach(const std::shared_ptr<Session>& session);
    // Requests the session's frame tree. The answer is handled in order with the events, so that it never
    // overwrites newer ones; then `taken` is called.
    void ask_tree(const std::shared_ptr<Session>& session, std::function<void(Result<void>)> taken = {});

    Frame* main();
    Frame* find(std::string_view id);
    Frame* find_numbered(int number);
    // The child frames, in the order they were attached.
    std::vector<Frame*> children(std::string_view id);

    // Runs our function `(…args) => value` in the frame's isolated world, where `troupe` is. Promises are
    // awaited.
    Task<json::value> call(std::string frame, std::string function, std::vector<Argument> arguments,
                           Scripts scripts = Scripts::All);
    // The same, for an element as result; nothing for null.
    Task<std::shared_ptr<RemoteElement>> call_for_element(std::string frame, std::string function,
                                                          std::vector<Argument> arguments);
    // Runs in the page's own world, with its script's view. Waits while a document is being replaced; never
    // repeats a function that has begun to run.
    Task<json::value> call_in_page(std::string frame, std::string function, std::vector<Argument> arguments);
    // Moves an element to the page's own world.
    Task<std::shared_ptr<RemoteElement>> to_page_world(const RemoteElement& element);
    // The <iframe> that holds a frame.
    Task<std::shared_ptr<RemoteElement>> owner(std::string frame);
    // The frame that an <iframe> element holds; nothing when it is none.
    Task<std::optional<std::string>> content_frame(const RemoteElement& element);

    // Forgets the frames that run in a session which has ended.
    void remove_all_of(const Session& session);
    // Called with the id of a removed frame.
    std::function<void(const std::string& frame)> on_removed;
    // Called with the frame when its document was replaced, and on each lifecycle event.
    std::function<void(Frame&)> on_navigated;
    std::function<void(Frame&, const std::string& step)> on_lifecycle;
    std::function<void(Frame&)> on_url_changed;
    // Whether the browser has more urgent work than preparations.
    std::function<bool()> is_crowded;

private:
    Frame& ensure(const std::string& id, const std::string& parent, const std::shared_ptr<Session>& session);
    void remove(const std::string& id);
    void take_tree(const std::shared_ptr<Session>& session, const json::object& tree,
                   const std::string& parent);
    void navigated(const std::shared_ptr<Session>& session, const json::object& frame, bool restored);
    struct Source;
    void listen_to_contexts(Source& source);
    // Remembers the ref prefixes of the departing page's documents, which may come back.
    void note_departure();
    std::optional<int> former_number(const Frame& frame) const;
    Task<std::shared_ptr<World>> troupe_world(std::string frame);
    Task<std::shared_ptr<World>> make_world(std::string frame, std::shared_ptr<Session> session);
    // Starts creating the world before the first call.
    void prepare_world(Frame& frame);
    void load_more(Session& session, World& world);
    // Loads the second script at the next idle moment, unless a call needs it earlier.
    void load_more_soon(const Frame& frame);
    Task<> load_more_later(std::shared_ptr<Session> session);
    // The result of a function in our world. It is run again in the next document if this one is replaced.
    struct Ran {
        json::value result;
        std::string context;  // the unique name of where it ran
    };
    Task<Ran> run_in_world(std::string frame, std::string function, std::vector<Argument> arguments,
                           bool by_value, Scripts scripts);
    Task<json::value> run(std::shared_ptr<Session> session, std::string context, std::string function,
                          std::vector<Argument> arguments, bool by_value);
    // Sends a command about a document; translates browser errors that mean that the document is gone.
    Task<json::value> ask(std::shared_ptr<Session> session, std::string method, json::object params);

    struct Numbered {
        int number;
        std::weak_ptr<Session> session;
    };
    std::map<std::string, Frame, std::less<>> frames_;
    std::vector<std::string> order_;
    std::string main_;
    int last_number_ = 0;
    // By loader id, one entry for each departed page, the newest last.
    std::deque<std::map<std::string, Numbered>> departed_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // expires with this
    TaskSet preparing_;
    Running loading_more_;
    struct Source {
        std::shared_ptr<Session> session;
        std::vector<Subscription> subscriptions = {};
    };
    std::list<Source> sources_;
};

}  // namespace cdp
