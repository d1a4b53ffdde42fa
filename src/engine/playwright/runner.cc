#include "engine/playwright/runner.h"

#include <boost/asio/post.hpp>

#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"
#include "engine/playwright/proxy.h"
#include "engine/runaway.h"

namespace playwright {
namespace {

// How long an idle helper may take to answer a ping.
constexpr std::chrono::seconds kPingLimit{2};

Error browser_gone() {
    return {.code = ErrorCode::BrowserCrashed, .message = "Target page, context or browser has been closed"};
}

std::string last_line(const std::string& text) {
    std::size_t end = text.find_last_not_of(" \n");
    if (end == text.npos) return {};
    std::size_t begin = text.find_last_of('\n', end);
    return text.substr(begin + 1, end - begin);
}

class Runner final : public engine::CodeRunner, public std::enable_shared_from_this<Runner> {
public:
    Runner(Loop& loop, const std::shared_ptr<cdp::Context>& context, OwnPages own_pages,
           HelperOptions options, Log& log)
        : loop_(loop),
          context_(context),
          own_pages_(std::move(own_pages)),
          options_(std::move(options)),
          log_(log) {}
    ~Runner() override { stop(); }

    Task<std::optional<std::string>> run(std::shared_ptr<engine::Page> page, std::string code,
                                         Deadline deadline) override {
        json::object request{{"ask", "run"}, {"code", std::move(code)}};
        json::object answer = co_await ask(std::move(page), std::move(request), deadline);
        auto value = json::find_string(answer, "value");
        co_return value ? std::optional<std::string>(*value) : std::nullopt;
    }

    Task<std::vector<std::string>> initialize(std::shared_ptr<engine::Page> page,
                                              std::filesystem::path module, Deadline deadline) override {
        json::object request{{"ask", "initialize"}, {"module", module.string()}};
        json::object answer = co_await ask(std::move(page), std::move(request), deadline);
        std::vector<std::string> replaced;
        if (const json::array* names = json::find_array(answer, "replaced")) {
            for (const json::value& name : *names) {
                if (name.is_string()) replaced.emplace_back(name.get_string());
            }
        }
        co_return replaced;
    }

    void leave(const engine::Page& page) override {
        if (proxy_) proxy_->hide_page(page.id());
    }

private:
    // Kills the helper when the wait for an answer ends without one.
    class Watch {
    public:
        Watch(Runner& runner, std::shared_ptr<engine::Page> page) : runner_(runner), page_(std::move(page)) {}
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;
        ~Watch() {
            // Code that a dialog blocks goes on once the dialog is answered.
            if (!answered && page_->modals().empty()) runner_.abandon();
        }
        bool answered = false;

    private:
        Runner& runner_;
        std::shared_ptr<engine::Page> page_;
    };

    Task<json::object> ask(std::shared_ptr<engine::Page> page, json::object request, Deadline deadline) {
        auto self = shared_from_this();
        co_await stop_if_stuck();
        co_await start();
        show_pages(*page);
        request["target"] = page->id();
        request["others"] = others(*page);
        Watch watch(*this, page);
        auto answer = co_await as_result(
            with_deadline(loop_, helper_->ask(std::move(request)), deadline, "Running the code"));
        watch.answered = answer || answer.error().code != ErrorCode::Timeout;
        co_return std::move(answer);
    }

    // Code left behind by an earlier call may keep the helper from answering at all.
    Task<> stop_if_stuck() {
        if (!helper_ || !helper_->is_busy()) co_return;
        auto heard = co_await as_result(
            with_deadline(loop_, helper_->ask({{"ask", "ping"}}), Deadline::in(kPingLimit), "Answering"));
        if (!heard) stop();
    }

    Result<void> start() {
        if (helper_) return ok();
        auto context = context_.lock();
        if (!context || context->is_lost()) return browser_gone();
        std::weak_ptr<Runner> weak = weak_from_this();
        std::uint64_t number = ++number_;
        // The callers of these handlers still use the objects that the handlers destroy, so defer.
        auto later = [weak, number, &loop = loop_](std::function<void(Runner&)> act) {
            boost::asio::post(loop, [weak, number, act = std::move(act)] {
                auto self = weak.lock();
                if (self && self->number_ == number && self->helper_) act(*self);
            });
        };
        Helper::Handlers handlers{
            .devtools =
                [this](const json::object& message) {
                    if (proxy_) proxy_->take(message);
                },
            .event = [this](const std::string& event) { take_event(event); },
            .ended =
                [later](const std::string& printed) {
                    later([printed](Runner& self) { self.take_end(printed); });
                },
        };
        helper_ = TRY(Helper::start(loop_, options_, std::move(handlers)));
        proxy_ = Proxy::create(
            context->browser().connection(), context->id(), own_pages_ ? Scope::OwnPages : Scope::Context,
            [this](const json::object& message) { helper_->send(message); },
            [later] {
                later([](Runner& self) {
                    self.helper_->fail(browser_gone());
                    self.stop();
                });
            });
        holding_ = context->hold_new_pages(
            [proxy = std::weak_ptr<Proxy>(proxy_)](const auto& session, const json::object& target) {
                auto open = proxy.lock();
                return open && open->take_new_page(session, target);
            });
        downloads_ =
            context->watch_downloads([proxy = std::weak_ptr<Proxy>(proxy_), artifacts = options_.artifacts](
                                         const cdp::Page& page, const engine::Download& download) {
                if (auto open = proxy.lock()) open->take_download(page.id(), download, artifacts);
            });
        return ok();
    }

    // Scripts that the code began in pages do not end with its process.
    void abandon() {
        stop();
        for (const auto& page : pages()) {
            if (auto* guard = dynamic_cast<engine::RunawayGuard*>(page.get())) guard->abandon_scripts();
        }
    }

    void stop() {
        connected_ = false;
        holding_ = {};
        downloads_ = {};
        // First, so that no page waits for a helper that is being killed.
        proxy_ = nullptr;
        helper_ = nullptr;
    }

    void take_event(const std::string& event) {
        connected_ = event == "connected";
        if (event == "disconnected") proxy_->reset();
        if (connected_) show_all();
    }

    void take_end(const std::string& printed) {
        log_.warn("the process that runs Playwright code has ended", {{"printed", printed}});
        std::string line = last_line(printed);
        helper_->fail(
            {.code = ErrorCode::BrowserCrashed,
             .message = "The process that ran the code has ended" + (line.empty() ? "." : ": " + line),
             .hint = "The next call starts a new one; what earlier code set up is gone."});
        stop();
    }

    // Shows the required page first: another page that does not answer would keep the helper from connecting.
    void show_pages(const engine::Page& first) {
        proxy_->show_page(first.id());
        if (connected_) show_all();
    }

    std::vector<std::shared_ptr<engine::Page>> pages() const {
        if (own_pages_) return own_pages_();
        auto context = context_.lock();
        return context ? context->pages() : std::vector<std::shared_ptr<engine::Page>>();
    }

    static bool answers(const engine::Page& page) { return !page.has_crashed() && page.modals().empty(); }

    void show_all() {
        for (const auto& page : pages()) {
            if (answers(*page)) proxy_->show_page(page->id());
        }
    }

    json::array others(const engine::Page& current) const {
        json::array ids;
        for (const auto& page : pages()) {
            if (page.get() != &current && answers(*page)) ids.push_back(json::value(page->id()));
        }
        return ids;
    }

    Loop& loop_;
    std::weak_ptr<cdp::Context> context_;
    OwnPages own_pages_;
    HelperOptions options_;
    Log& log_;
    std::uint64_t number_ = 0;
    std::unique_ptr<Helper> helper_;
    std::shared_ptr<Proxy> proxy_;
    bool connected_ = false;
    cdp::Subscription holding_, downloads_;
};

}  // namespace

std::shared_ptr<engine::CodeRunner> make_runner(Loop& loop, const std::shared_ptr<cdp::Context>& context,
                                                OwnPages own_pages, HelperOptions options, Log& log) {
    return std::make_shared<Runner>(loop, context, std::move(own_pages), std::move(options), log);
}

}  // namespace playwright
