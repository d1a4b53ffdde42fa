#include "engine/playwright/helper.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "engine/cdp/fields.h"
#include "engine/cdp/pipe.h"
#include "util/spawn.h"

namespace playwright {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using cdp::text_of;
using Answer = Result<json::object>;

constexpr std::size_t kPrintedLimit = 4 << 10;

// The helper's output; kept alive by its pending read.
struct Printed {
    Printed(Loop& loop, int fd) : descriptor(loop, fd) {}
    static void read(const std::shared_ptr<Printed>& self) {
        self->descriptor.async_read_some(asio::buffer(self->buffer),
                                         [self](error_code error, std::size_t count) {
                                             self->text.append(self->buffer, count);
                                             if (self->text.size() > 2 * kPrintedLimit)
                                                 self->text.erase(0, self->text.size() - kPrintedLimit);
                                             if (!error) read(self);
                                         });
    }
    asio::posix::stream_descriptor descriptor;
    char buffer[4096];
    std::string text;
};

class NodeHelper final : public Helper {
public:
    NodeHelper(Loop& loop, Spawned spawned, Handlers handlers)
        : loop_(loop),
          pid_(spawned.pid),
          exit_watch_(std::move(spawned.exit_watch)),
          printed_(std::make_shared<Printed>(loop, spawned.errors.release())),
          pipe_(cdp::pipe_transport(loop, std::move(spawned.input), std::move(spawned.output))),
          handlers_(std::move(handlers)) {
        Printed::read(printed_);
        pipe_->start([this](std::string_view text) { take(text); }, [this](const std::string&) { end(); });
    }

    ~NodeHelper() override {
        pipe_->close();
        // The group leader's id is not reused until it is reaped, so this hits no other process.
        ::kill(-pid_, SIGKILL);
        siginfo_t info{};
        pollfd ended{exit_watch_.get(), POLLIN, 0};
        ::poll(&ended, 1, 2000);
        ::waitid(P_PIDFD, static_cast<id_t>(exit_watch_.get()), &info, WEXITED | WNOHANG);
        printed_->descriptor.close();
        fail({.code = ErrorCode::Cancelled, .message = "The process that ran Playwright code was ended."});
    }

    void fail(const Error& error) override {
        for (const auto& [id, answer] : std::exchange(asked_, {})) answer.set(error);
    }
    bool is_busy() const override { return !asked_.empty(); }

    void send(const json::object& devtools) override { pipe_->send(json::serialize(devtools)); }

    Task<json::object> ask(json::object request) override {
        std::int64_t id = ++last_id_;
        request["id"] = id;
        Completion<Answer> answer(loop_);
        asked_.emplace(id, answer);
        send({{"troupe", std::move(request)}});
        Answer given = co_await answer;
        co_return std::move(given);
    }

private:
    void take(std::string_view text) {
        auto parsed = json::parse(text, 512);
        const json::object* message = parsed ? parsed->if_object() : nullptr;
        if (!message) return;
        const json::object* own = json::find_object(*message, "troupe");
        if (!own) return handlers_.devtools(*message);
        if (own->contains("event")) return handlers_.event(text_of(*own, "event"));
        auto asked = asked_.extract(json::find_integer(*own, "id").value_or(0));
        if (!asked) return;
        if (!own->contains("error")) return asked.mapped().set(*own);
        std::string reason = text_of(*own, "error");
        if (cdp::flag_of(*own, "missing")) return asked.mapped().set(not_installed(reason));
        asked.mapped().set(Error{.code = ErrorCode::InvalidArgument, .message = reason});
    }

    void end() { handlers_.ended(printed_->text); }

    Loop& loop_;
    pid_t pid_;
    Descriptor exit_watch_;
    std::shared_ptr<Printed> printed_;
    std::unique_ptr<cdp::Transport> pipe_;
    Handlers handlers_;
    std::map<std::int64_t, Completion<Answer>> asked_;
    std::int64_t last_id_ = 0;
};

}  // namespace

Error not_installed(const std::string& what) {
    return {.code = ErrorCode::NotFound,
            .message =
                "Playwright code needs Node.js 18 or newer and the package playwright-core 1.61 or "
                "newer, and this server cannot find them" +
                (what.empty() ? "." : ": " + what + "."),
            .hint =
                "Install Node.js, then run `npm install playwright-core` in the workspace or `npm install "
                "-g playwright-core`; the next call finds it. browser_evaluate runs JavaScript in the page "
                "without them."};
}

Result<std::unique_ptr<Helper>> Helper::start(Loop& loop, const HelperOptions& options, Handlers handlers) {
    std::vector<std::string> command{options.node, "-e", std::string(helper_script())};
    // The code must not get the token of our own server.
    auto spawned = spawn(command, {{"TROUPE_AUTH_TOKEN", ""}}, options.directory, Pipes::DevTools);
    if (!spawned) {
        const std::string& reason = spawned.error().message;
        return not_installed(reason.substr(0, reason.find_last_not_of('.') + 1));
    }
    auto helper = std::make_unique<NodeHelper>(loop, std::move(*spawned), std::move(handlers));
    json::array folders;
    for (const auto& folder : {options.directory, options.server_directory}) {
        if (!folder.empty()) folders.push_back(json::value(folder.string()));
    }
    helper->send(
        {{"troupe", json::object{{"setup", json::object{{"module", options.module.string()},
                                                        {"folders", std::move(folders)},
                                                        {"artifacts", options.artifacts.string()},
                                                        {"testIdAttribute", options.test_id_attribute}}}}}});
    return std::unique_ptr<Helper>(std::move(helper));
}

}  // namespace playwright
