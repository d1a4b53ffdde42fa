#include "tools/browser_resources.h"

#include <algorithm>

#include "tools/output_resources.h"
#include "tools/page_resources.h"
#include "tools/resource_address.h"

namespace tools {
namespace {

using session::Session;
using session::Tab;
using Contents = std::optional<std::vector<ResourceContents>>;
using Entry = session::Sessions::Entry;
using Kind = ResourceKind;

// Completions are for people who type, and they rarely want the oldest refs.
constexpr int kMaxRefs = 100;

const StandsFor kListsSessions{"list_sessions", "sessions", Effect::ReadsServer};
const StandsFor kListsCalls{"history_list", "history", Effect::ReadsServer};

// The tool that gives an agent the same information.
StandsFor tool_for(Kind kind) {
    switch (kind) {
        case Kind::Session:
            return kListsSessions;
        case Kind::Page:
            return {"browser_tabs", "", Effect::ReadsPage};
        // A download comes from the page, so reading it counts as reading the page.
        case Kind::Download:
        case Kind::Snapshot:
        case Kind::Element:
            return {"browser_snapshot", "", Effect::ReadsPage};
        case Kind::Screenshot:
            return {"browser_take_screenshot", "", Effect::ReadsPage};
        case Kind::NetworkLog:
            return {"browser_network_requests", "", Effect::ReadsPage};
        case Kind::Content:
            break;
    }
    return {"get_content", "history", Effect::ReadsServer};
}

ResourceTemplate made(std::string_view path, std::string name, std::string title, std::string description,
                      std::string mime_type) {
    return {.uri_template = std::string(kResourceScheme) + std::string(path),
            .name = std::move(name),
            .title = std::move(title),
            .description = std::move(description),
            .mime_type = std::move(mime_type)};
}

const std::vector<ResourceTemplate>& all_templates() {
    static const std::vector<ResourceTemplate> kTemplates = {
        made("session/{session}", "session", "Session",
             "A session: its state and pages. Yours is \"default\".", "application/json"),
        made("page/{session}/{page}", "page", "Page", "A page's address, title, viewport and age.",
             "application/json"),
        made("page/{session}/{page}/snapshot", "snapshot", "Snapshot",
             "A page's accessibility snapshot, with the refs of its elements.", "application/yaml"),
        made("element/{session}/{page}/{ref}", "element", "Element",
             "The selector, tag, attributes and box of the element that a snapshot calls by this ref.",
             "application/json"),
        made("screenshot/{session}/{page}/{timestamp}", "screenshot", "Screenshot",
             "A picture of the page that was taken then; \"now\" takes one.", ""),
        made("network-log/{session}/{page}", "network-log", "Network log",
             "The page's requests since its navigation, with counts.", "application/json"),
        made("download/{session}/{file}", "download", "Download", "A file that a page of the session gave.",
             ""),
        made("content/{ref_id}", "content", "Recorded page",
             "The page as a call left it, or the call's answer.", "text/plain"),
    };
    return kTemplates;
}

std::shared_ptr<Tab> find_tab(const Session& session, const std::string& id) {
    auto it = std::ranges::find(session.tabs(), id, [](const auto& tab) { return tab->id(); });
    return it == session.tabs().end() ? nullptr : *it;
}

// Maps the name in a URI or a completion to a session name.
std::string named(const std::string& given) { return given == kOwnSession ? "" : given; }

json::object facts_of(const session::Picture& picture) {
    auto since_epoch = picture.taken.time_since_epoch();
    return {{"width", picture.size.width},
            {"height", picture.size.height},
            {"fullPage", picture.full_page},
            {"capturedAt", std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count()}};
}

// The time 2025-11-27T10:30:00.000Z in the form that file names use.
std::string as_stamp(std::string time) {
    for (char& c : time) {
        if (c == ':' || c == '.') c = '-';
    }
    return time;
}

// The refs of a snapshot, in its order.
std::vector<std::string> refs_in(std::string_view snapshot) {
    constexpr std::string_view kMark = "[ref=";
    std::vector<std::string> refs;
    for (std::size_t at = snapshot.find(kMark); at != snapshot.npos; at = snapshot.find(kMark, at)) {
        at += kMark.size();
        refs.emplace_back(snapshot.substr(at, snapshot.find(']', at) - at));
    }
    return refs;
}

class BrowserResources final : public ResourceProvider {
public:
    explicit BrowserResources(BrowserResourcesContext context) : context_(std::move(context)) {}

    std::vector<Resource> list(const Caller& caller) const override {
        std::vector<Resource> all;
        for (const auto& [name, entry] : sessions_of(caller)) list_session(name, *entry, all);
        return all;
    }
    std::vector<ResourceTemplate> templates() const override { return all_templates(); }
    std::optional<Access> reading(const std::string& uri) const override {
        auto address = parse_address(uri);
        if (!address) return std::nullopt;
        return Access{.as = tool_for(address->kind), .session = address->session};
    }
    bool may_exist(const std::string& uri, const Caller& caller) const override;
    Task<Contents> read(std::string uri, Client& client) override;
    std::shared_ptr<void> watch(const std::string& uri, const Caller& caller) override {
        auto address = parse_address(uri);
        bool shows_page = address && (address->kind == Kind::Page || address->kind == Kind::Snapshot);
        const Entry* entry = shows_page ? find(caller, address->session) : nullptr;
        auto tab = entry ? find_tab(*entry->session, address->page) : nullptr;
        return tab ? tab->page().watch_changes() : nullptr;
    }
    std::optional<Access> completing(const CompletionRequest& request) const override;
    Task<std::vector<std::string>> complete(CompletionRequest request, Client& client) override;

private:
    const Entry* find(const Caller& caller, const std::string& name) const {
        const SessionCatalog& sessions = context_.sessions;
        return sessions.sessions->find(sessions.named(caller, name));
    }
    // The sessions that may be listed to a caller, by the names that it may use.
    std::vector<std::pair<std::string, const Entry*>> sessions_of(const Caller& caller) const {
        std::vector<std::pair<std::string, const Entry*>> known;
        const SessionCatalog& sessions = context_.sessions;
        const session::SessionKey own = sessions.key_of(caller);
        if (const Entry* entry = sessions.sessions->find(own)) known.emplace_back(own.name, entry);
        std::string owner = sessions.owner_of(caller);
        // Callers without an identity cannot be told apart: each may use the names that it knows.
        if (owner.empty() || owner == session::kAnybody) return known;
        for (const auto& [name, entry] : sessions.sessions->list(owner)) {
            if (!name.empty() && session::SessionKey{owner, name} != own && sessions.shows(caller, name))
                known.emplace_back(name, entry);
        }
        return known;
    }
    static void list_session(const std::string& name, const Entry& entry, std::vector<Resource>& all);
    Task<Contents> read_page(ResourceAddress address, std::string uri, std::shared_ptr<Session> session);
    Task<Contents> read_recorded(std::string uri, std::string ref_id, RecordIdentity reader);
    Task<std::vector<std::string>> candidates(CompletionRequest request, Caller caller);

    BrowserResourcesContext context_;
};

void BrowserResources::list_session(const std::string& name, const Entry& entry, std::vector<Resource>& all) {
    auto add = [&](ResourceAddress address, std::string title, std::string mime_type,
                   json::object meta = {}) {
        address.session = name;
        std::string uri = to_uri(address);
        all.push_back({.uri = uri,
                       .name = uri.substr(kResourceScheme.size()),
                       .title = std::move(title),
                       .mime_type = std::move(mime_type),
                       .meta = std::move(meta)});
    };
    const Session& session = *entry.session;
    add({.kind = Kind::Session}, "Session " + (name.empty() ? std::string(kOwnSession) : name),
        "application/json");
    for (const auto& tab : session.tabs()) {
        std::string url = session.secrets().redact(tab->page().url());
        add({.kind = Kind::Page, .page = tab->id()}, url, "application/json");
        add({.kind = Kind::Snapshot, .page = tab->id()}, "Snapshot of " + url, "application/yaml");
        add({.kind = Kind::NetworkLog, .page = tab->id()}, "Requests of " + url, "application/json");
        for (const session::Picture& picture : tab->pictures()) {
            add({.kind = Kind::Screenshot, .page = tab->id(), .item = picture.stamp},
                "Screenshot of " + picture.stamp, mime_type_of(picture.file), facts_of(picture));
        }
    }
    for (const std::filesystem::path& file : session.workspace().downloads()) {
        std::string file_name = file.filename().string();
        add({.kind = Kind::Download, .item = file_name}, file_name, mime_type_of(file));
    }
}

// The caller's own session is made by its first call, with tabs that are unknown before. So are those of a
// session that sleeps.
bool BrowserResources::may_exist(const std::string& uri, const Caller& caller) const {
    auto address = parse_address(uri);
    if (!address) return false;
    if (address->kind == Kind::Content) return true;
    const SessionCatalog& sessions = context_.sessions;
    bool is_own = sessions.named(caller, address->session) == sessions.key_of(caller);
    const Entry* entry = find(caller, address->session);
    if (!entry) return is_own;
    if (address->page.empty()) return true;
    return entry->session->life() != Session::Life::Awake || find_tab(*entry->session, address->page);
}

Task<Contents> BrowserResources::read(std::string uri, Client& client) {
    auto address = parse_address(uri);
    if (!address) co_return std::nullopt;
    if (address->kind == Kind::Content) {
        if (!context_.history.store) co_return std::nullopt;
        co_return co_await read_recorded(uri, address->item, context_.history.identify(client.caller()));
    }
    const Entry* entry = find(client.caller(), address->session);
    if (!entry) co_return std::nullopt;
    std::shared_ptr<Session> session = entry->session;
    if (address->kind == Kind::Session) {
        json::object facts =
            describe(address->session.empty() ? std::string(kOwnSession) : address->session, *entry);
        facts["pages"] = list_pages(*session, address->session);
        co_return as_json(std::move(uri), std::move(facts), session->secrets());
    }
    if (address->kind == Kind::Download) {
        for (const std::filesystem::path& file : session->workspace().downloads()) {
            if (file.filename() == address->item) co_return co_await read_file_resource(uri, session, file);
        }
        co_return std::nullopt;
    }
    co_return co_await read_page(*address, uri, session);
}

Task<Contents> BrowserResources::read_page(ResourceAddress address, std::string uri,
                                           std::shared_ptr<Session> session) {
    std::shared_ptr<Tab> tab = find_tab(*session, address.page);
    if (!tab) co_return std::nullopt;
    switch (address.kind) {
        case Kind::Page:
            co_return as_json(uri, co_await read_page_facts(tab), session->secrets());
        case Kind::Snapshot:
            co_return co_await read_snapshot(uri, session, tab);
        case Kind::Element:
            co_return as_json(uri, co_await read_element_facts(session, tab, address.item),
                              session->secrets());
        case Kind::NetworkLog:
            co_return as_json(uri, read_network_log(*tab), session->secrets());
        case Kind::Screenshot:
            if (address.item == kScreenshotNow) co_return co_await take_picture(uri, session, tab);
            for (const session::Picture& picture : tab->pictures()) {
                if (picture.stamp != as_stamp(address.item)) continue;
                Contents contents = co_await read_file_resource(uri, session, picture.file);
                if (contents && !contents->empty()) contents->front().meta = facts_of(picture);
                co_return contents;
            }
            break;
        case Kind::Session:
        case Kind::Download:
        case Kind::Content:
            break;
    }
    co_return std::nullopt;
}

Task<Contents> BrowserResources::read_recorded(std::string uri, std::string ref_id, RecordIdentity reader) {
    auto recorded = co_await as_result(read_whole(context_.history, std::move(reader), std::move(ref_id)));
    if (!recorded && recorded.error().code == ErrorCode::NotFound) co_return std::nullopt;
    RecordedText text = co_await std::move(recorded);
    co_return std::vector{ResourceContents{.uri = std::move(uri),
                                           .mime_type = text.is_snapshot ? "application/yaml" : "text/plain",
                                           .text = std::move(text.text)}};
}

Task<std::vector<std::string>> BrowserResources::candidates(CompletionRequest request, Caller caller) {
    std::vector<std::string> values;
    if (request.argument == "session") {
        for (const auto& [name, entry] : sessions_of(caller))
            values.push_back(name.empty() ? std::string(kOwnSession) : name);
        co_return values;
    }
    if (request.argument == "ref_id" && context_.history.store) {
        json::object calls = co_await list_history(context_.history, caller, {.limit = kMaxRefs});
        for (const json::value& call : calls.at("calls").as_array())
            values.emplace_back(call.at("ref_id").as_string());
        co_return values;
    }
    const Entry* entry = find(caller, named(request.context["session"]));
    if (!entry) co_return values;
    const Session& session = *entry->session;
    if (request.argument == "page") {
        for (const auto& tab : session.tabs()) values.push_back(tab->id());
    } else if (request.argument == "ref") {
        auto tab = find_tab(session, request.context["page"]);
        if (!tab) co_return values;
        // A page that cannot be read now offers no completions.
        auto read = co_await as_result(read_snapshot("", entry->session, tab));
        if (read && *read && !(*read)->empty()) values = refs_in((*read)->front().text.value_or(""));
    } else if (request.argument == "file") {
        for (const auto& file : session.workspace().downloads()) values.push_back(file.filename().string());
    } else if (request.argument == "timestamp") {
        values.emplace_back(kScreenshotNow);
        if (auto tab = find_tab(session, request.context["page"])) {
            for (const session::Picture& picture : tab->pictures()) values.push_back(picture.stamp);
        }
    }
    co_return values;
}

std::optional<Access> BrowserResources::completing(const CompletionRequest& request) const {
    auto known = std::ranges::find(all_templates(), request.uri_template, &ResourceTemplate::uri_template);
    if (known == all_templates().end()) return std::nullopt;
    if (request.argument == "session") return Access{kListsSessions};
    if (request.argument == "ref_id") return Access{kListsCalls};
    auto session = request.context.find("session");
    // The template itself parses as an address: only its first part determines the kind.
    auto address = parse_address(known->uri_template);
    if (!address) return std::nullopt;
    return Access{tool_for(address->kind),
                  session == request.context.end() ? std::string() : named(session->second)};
}

Task<std::vector<std::string>> BrowserResources::complete(CompletionRequest request, Client& client) {
    std::vector<std::string> values = co_await candidates(request, client.caller());
    std::erase_if(values, [&](const std::string& value) { return !value.starts_with(request.typed); });
    co_return values;
}

}  // namespace

std::shared_ptr<ResourceProvider> browser_resources(BrowserResourcesContext context) {
    return std::make_shared<BrowserResources>(std::move(context));
}

}  // namespace tools
