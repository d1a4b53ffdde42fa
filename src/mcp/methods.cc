#include "mcp/methods.h"

#include <algorithm>
#include <iterator>

#include "mcp/client.h"
#include "mcp/render.h"
#include "mcp/version.h"
#include "tools/result_limit.h"
#include "util/strings.h"

namespace mcp {
namespace {

// Lists that depend on pages have no lifetime: they may differ by the next request.
constexpr std::chrono::milliseconds kListLifetime = std::chrono::minutes(5), kNoLifetime{0};

// Lets render_list render shared_ptrs as the objects they point to.
template <class T>
std::string render(const std::shared_ptr<const T>& item) {
    return mcp::render(*item);
}
using mcp::render;

std::optional<std::size_t> parse_cursor(std::string_view cursor, std::size_t size) {
    auto text = base64_decode(cursor);
    if (!text || !text->starts_with("at:")) return std::nullopt;
    auto number = json::parse(std::string_view(*text).substr(3));
    auto offset = number ? json::as_integer(*number) : std::nullopt;
    if (!offset || *offset <= 0 || static_cast<std::size_t>(*offset) >= size) return std::nullopt;
    return static_cast<std::size_t>(*offset);
}

std::map<std::string, std::string> string_members(const json::object* from) {
    std::map<std::string, std::string> strings;
    if (!from) return strings;
    for (const auto& [key, value] : *from) {
        strings[std::string(key)] =
            value.is_string() ? std::string(value.get_string()) : json::serialize(value);
    }
    return strings;
}

Task<std::vector<std::string>> complete_prompt(const tools::Prompt& prompt, std::string argument,
                                               std::string typed, tools::CompletionContext context) {
    if (!prompt.complete) co_return std::vector<std::string>();
    co_return prompt.complete(argument, typed, context);
}

// Passes on another server's refusal in that server's words.
std::optional<Answer> refused_elsewhere(const Error& error) {
    auto theirs = rpc_error_of(error);
    if (!theirs) return std::nullopt;
    return Answer{.error = std::move(theirs)};
}

Answer no_such_resource(const RequestContext& context, std::string_view uri, std::string_view why = {}) {
    std::string message = "Resource not found: " + std::string(uri);
    if (!why.empty()) message += ". " + std::string(why);
    return refuse(context.era() == Era::Modern ? kInvalidParams : kResourceNotFound, std::move(message),
                  json::object{{"uri", uri}});
}

}  // namespace

Answer refuse(int code, std::string message, std::optional<json::value> data) {
    return {.result = {},
            .error = RpcError{.code = code, .message = std::move(message), .data = std::move(data)}};
}

// Begins a result with the members that its era puts into every one.
class Methods::ResultWriter : public ObjectWriter {
public:
    ResultWriter(const Methods& methods, const RequestContext& context, std::string_view type = "complete")
        : modern_(context.era() == Era::Modern) {
        if (!modern_) return;
        string("resultType", type);
        raw("_meta", methods.server_info_text_);
    }
    ResultWriter& cacheable(std::chrono::milliseconds lifetime, std::string_view scope) {
        if (modern_) raw("ttlMs", std::to_string(lifetime.count())).string("cacheScope", scope);
        return *this;
    }
    Answer answer() { return {.result = finish()}; }

private:
    bool modern_;
};

Methods::Methods(Loop& loop, tools::Registry& registry, Subscriptions& subscriptions,
                 const RequestStateSealer& sealer, const ServerOptions& options, CallPipeline& calls)
    : loop_(loop),
      registry_(registry),
      subscriptions_(subscriptions),
      sealer_(sealer),
      options_(options),
      calls_(calls),
      server_info_text_(json::serialize(json::object{{kMetaServerInfo, server_info()}})) {}

json::object Methods::capabilities() const {
    json::object changes{{"listChanged", true}};
    return {
        {"tools", changes},
        {"prompts", changes},
        {"resources", json::object{{"subscribe", true}, {"listChanged", true}}},
        {"completions", json::object{}},
        {"logging", json::object{}},
    };
}

json::object Methods::server_info() const {
    return {{"name", options_.name}, {"title", options_.title}, {"version", options_.version}};
}

Task<Answer> Methods::answer(RequestContext& context) {
    Answer answer = co_await dispatch(context);
    if (!options_.middleware) co_return answer;
    auto redact = [&](std::string text) { return options_.middleware->redacted_json(std::move(text)); };
    // These two were redacted part by part, because they may contain pictures.
    const std::string& method = context.request().method;
    if (method != "tools/call" && method != "resources/read")
        answer.result = redact(std::move(answer.result));
    if (!answer.error) co_return answer;
    answer.error->message = options_.middleware->redacted(std::move(answer.error->message));
    if (answer.error->data)
        answer.error->data = co_await json::parse(redact(json::serialize(*answer.error->data)));
    co_return answer;
}

Task<Answer> Methods::dispatch(RequestContext& context) {
    const std::string& method = context.request().method;
    bool modern = context.era() == Era::Modern;
    if (method == "tools/call") co_return co_await call_tool(context);
    if (method == "tools/list") co_return list_tools(context);
    if (method == "ping" && !modern) co_return Answer{.result = "{}"};
    if (method == "resources/read") co_return co_await in_time(context, read_resource(context));
    if (method == "resources/list") co_return list_resources(context);
    if (method == "resources/templates/list") co_return list_resource_templates(context);
    if (method == "prompts/list") co_return list_prompts(context);
    if (method == "prompts/get") co_return co_await in_time(context, get_prompt(context));
    if (method == "completion/complete") co_return co_await in_time(context, complete(context));
    if (method == "server/discover" && modern) co_return discover(context);
    if (method == "subscriptions/listen" && modern) co_return co_await listen(context);
    co_return refuse(kMethodNotFound, "Method not found: " + method);
}

Deadline Methods::deadline_of(const Request& request) const {
    return request.method == "subscriptions/listen" ? Deadline::never() : Deadline::in(options_.call_timeout);
}

Task<Answer> Methods::in_time(RequestContext& context, Task<Answer> method) {
    const Request& request = context.request();
    context.enter({.what = request.method});
    auto answer = co_await as_result(
        with_deadline(loop_, std::move(method), deadline_of(request), "\"" + request.method + "\""));
    if (answer) co_return std::move(answer);
    if (auto open = unanswered(context)) co_return std::move(*open);
    ErrorCode code = answer.error().code;
    bool is_reported =
        code == ErrorCode::Timeout || code == ErrorCode::PolicyDenied || code == ErrorCode::ResourceExhausted;
    if (is_reported) co_return refuse(kInternalError, answer.error().to_string());
    co_return std::move(answer);
}

Answer Methods::discover(const RequestContext& context) const {
    ResultWriter result(*this, context);
    result.raw("supportedVersions", json::serialize(json::array{kModernVersion}))
        .raw("capabilities", json::serialize(capabilities()))
        .optional_string("instructions", options_.instructions);
    return result.cacheable(std::chrono::hours(1), "public").answer();
}

template <class List>
Answer Methods::list_page(const RequestContext& context, std::string_view key, const List& list,
                          std::string_view scope, std::chrono::milliseconds lifetime) const {
    std::size_t first = 0;
    if (const json::value* cursor = json::find(context.request().params, "cursor")) {
        auto offset = cursor->is_string() ? parse_cursor(cursor->get_string(), list.size()) : std::nullopt;
        if (!offset)
            return refuse(kInvalidParams, "Invalid params: this cursor is not one that this server gave.");
        first = *offset;
    }
    std::size_t last = std::min(list.size(), first + options_.page_size);
    std::string items = "[";
    for (std::size_t i = first; i < last; ++i) {
        if (i > first) items += ',';
        items += render(list[i]);
    }
    ResultWriter result(*this, context);
    result.raw(key, items + "]");
    if (last < list.size()) result.string("nextCursor", base64_encode("at:" + std::to_string(last)));
    return result.cacheable(lifetime, scope).answer();
}

std::vector<std::shared_ptr<const tools::Tool>> Methods::offered_tools(const tools::Caller& caller) const {
    std::vector<std::shared_ptr<const tools::Tool>> offered = registry_.tools();
    if (!caller.connection.empty())
        std::erase_if(offered, [](const auto& tool) { return tool->stateless_only; });
    std::ranges::move(registry_.own_tools(caller), std::back_inserter(offered));
    if (options_.gate)
        std::erase_if(offered, [&](const auto& tool) { return !options_.gate->lists(*tool, caller); });
    return offered;
}

Answer Methods::list_tools(const RequestContext& context) {
    const tools::Caller& caller = context.caller();
    bool stateless = caller.connection.empty();
    auto offered = offered_tools(caller);
    std::vector<ListedTool> list;
    for (const auto& tool : offered) list.push_back({tool.get(), &caller});
    bool own =
        (options_.gate && options_.gate->distinguishes_callers()) || !registry_.own_tools(caller).empty();
    std::string_view scope = own ? "private" : "public";
    auto lifetime = registry_.has_own_tools() ? kNoLifetime : kListLifetime;
    if (list.size() > options_.page_size || context.request().params.contains("cursor")) {
        return list_page(context, "tools", list, scope, lifetime);
    }
    std::string for_this_caller;
    std::string& rendered = own ? for_this_caller : rendered_tools_[stateless ? 1 : 0];
    if (rendered.empty()) {
        rendered = "[";
        for (const ListedTool& tool : list)
            rendered.append(rendered.size() > 1 ? "," : "").append(render(tool));
        rendered += "]";
    }
    ResultWriter result(*this, context);
    result.raw("tools", rendered);
    return result.cacheable(lifetime, scope).answer();
}

Answer Methods::list_prompts(const RequestContext& context) const {
    bool own = options_.gate && options_.gate->distinguishes_callers();
    auto listed = registry_.prompts();
    std::erase_if(listed, [&](const auto& prompt) {
        return !calls_.lists(tools::prompt_access(prompt->name), context.caller());
    });
    return list_page(context, "prompts", listed, own ? "private" : "public", kListLifetime);
}

Answer Methods::list_resources(const RequestContext& context) const {
    std::vector<tools::Resource> all;
    for (const auto& provider : registry_.resources()) {
        for (tools::Resource& resource : provider->list(context.caller())) {
            auto access = provider->reading(resource.uri);
            if (access && calls_.lists(access->as, context.caller())) all.push_back(std::move(resource));
        }
    }
    return list_page(context, "resources", all, "private", kNoLifetime);
}

Answer Methods::list_resource_templates(const RequestContext& context) const {
    std::vector<tools::ResourceTemplate> all;
    for (const auto& provider : registry_.resources()) {
        for (tools::ResourceTemplate& each : provider->templates()) all.push_back(std::move(each));
    }
    return list_page(context, "resourceTemplates", all, "public", kListLifetime);
}

Task<Answer> Methods::complete(RequestContext& context) {
    const json::object& params = context.request().params;
    const json::object* ref = json::find_object(params, "ref");
    const json::object* argument = json::find_object(params, "argument");
    auto name = argument ? json::find_string(*argument, "name") : std::nullopt;
    if (!ref || !name)
        co_return refuse(kInvalidParams, "Invalid params: completion needs \"ref\" and \"argument.name\".");
    if (auto error = take_answers(context)) co_return Answer{.error = std::move(error)};

    std::string argument_name(*name), typed(json::find_string(*argument, "value").value_or(""));
    const json::object* context_object = json::find_object(params, "context");
    auto known = string_members(context_object ? json::find_object(*context_object, "arguments") : nullptr);

    std::vector<std::string> values;
    auto type = json::find_string(*ref, "type");
    if (type == "ref/prompt") {
        std::string prompt_name(json::find_string(*ref, "name").value_or(""));
        auto prompt = registry_.find_prompt(prompt_name);
        if (!prompt) co_return refuse(kInvalidParams, "Invalid params: no prompt \"" + prompt_name + "\".");
        auto work = [&] { return complete_prompt(*prompt, argument_name, typed, known); };
        values = co_await calls_.run_as<std::vector<std::string>>({tools::prompt_access(prompt->name)}, {},
                                                                  context, work);
    } else if (type == "ref/resource") {
        std::string uri(json::find_string(*ref, "uri").value_or(""));
        tools::CompletionRequest asked{uri, argument_name, typed, std::move(known)};
        // A copy: providers may come and go while one is asked.
        auto providers = registry_.resources();
        for (const auto& provider : providers) {
            auto access = provider->completing(asked);
            if (!access) continue;
            auto work = [&] { return provider->complete(asked, context); };
            for (std::string& value : co_await calls_.run_as<std::vector<std::string>>(
                     std::move(*access), {{"uri", uri}}, context, work))
                values.push_back(std::move(value));
        }
    } else {
        co_return refuse(kInvalidParams,
                         "Invalid params: \"ref.type\" must be \"ref/prompt\" or \"ref/resource\".");
    }
    constexpr std::size_t kMaxValues = 100;  // the specification's limit
    std::size_t total = values.size();
    if (values.size() > kMaxValues) values.resize(kMaxValues);
    json::array listed(values.begin(), values.end());
    ResultWriter result(*this, context);
    result.raw("completion",
               json::serialize(json::object{
                   {"values", std::move(listed)}, {"total", total}, {"hasMore", total > kMaxValues}}));
    co_return result.answer();
}

bool Methods::claim_state(const std::string& state) {
    auto now = RequestStateSealer::Clock::now();
    std::erase_if(claimed_states_,
                  [&](const auto& each) { return now - each.second > RequestStateSealer::kLifetime; });
    return !state.empty() && claimed_states_.try_emplace(state, now).second;
}

std::optional<RpcError> Methods::take_answers(RequestContext& context) {
    if (context.era() == Era::Legacy) return std::nullopt;
    const Request& request = context.request();
    json::object sealed;
    std::string claimed;
    if (const json::value* state = json::find(request.params, "requestState")) {
        Result<json::object> unsealed =
            state->is_string()
                ? sealer_.unseal(state->get_string(), request, context.caller().principal,
                                 RequestStateSealer::Clock::now())
                : Result<json::object>(Error{.message = "Invalid requestState: it must be a string."});
        if (!unsealed) return RpcError{.code = kInvalidParams, .message = unsealed.error().to_string()};
        sealed = std::move(*unsealed);
        claimed = state->get_string();
    }
    context.set_answers(std::move(sealed), json::find_object(request.params, "inputResponses"),
                        [this, claimed] { return claim_state(claimed); });
    return std::nullopt;
}

std::optional<Answer> Methods::unanswered(const RequestContext& context) const {
    if (context.era() == Era::Legacy) return std::nullopt;
    if (context.missing_capability()) {
        Answer answer = refuse(kMissingCapability, "The client lacks a capability that this request needs.",
                               json::object{{"requiredCapabilities", *context.missing_capability()}});
        answer.http_status = 400;
        return answer;
    }
    if (!context.pending()) return std::nullopt;
    json::object requests;
    for (const tools::InputRequest& request : context.pending()->missing) {
        requests[request.key] = json::object{{"method", request.method}, {"params", request.params}};
    }
    ResultWriter result(*this, context, "input_required");
    result.raw("inputRequests", json::serialize(requests))
        .string("requestState", sealer_.seal(context.request(), context.caller().principal,
                                             context.pending()->answers, RequestStateSealer::Clock::now()));
    return result.answer();
}

Task<Answer> Methods::get_prompt(RequestContext& context) {
    const json::object& params = context.request().params;
    std::string name(json::find_string(params, "name").value_or(""));
    auto prompt = registry_.find_prompt(name);
    if (!prompt) co_return refuse(kInvalidParams, "Prompt \"" + name + "\" not found");
    auto arguments = string_members(json::find_object(params, "arguments"));
    for (const tools::PromptArgument& argument : prompt->arguments) {
        if (argument.required && !arguments.contains(argument.name)) {
            std::string about = argument.description.empty() ? "." : ": " + argument.description;
            co_return refuse(kInvalidParams,
                             "Prompt \"" + name + "\" needs the argument \"" + argument.name + "\"" + about);
        }
    }
    if (auto error = take_answers(context)) co_return Answer{.error = std::move(error)};
    auto work = [&] { return prompt->render(arguments, context); };
    auto rendered = co_await as_result(calls_.run_as<tools::PromptResult>({tools::prompt_access(name)}, {},
                                                                          context, work, waiting(context)));
    if (!rendered) {
        if (auto answer = unanswered(context)) co_return std::move(*answer);
        if (auto answer = refused_elsewhere(rendered.error())) co_return std::move(*answer);
        ErrorCode code = rendered.error().code;
        bool callers = code == ErrorCode::InvalidArgument || code == ErrorCode::MissingParameter;
        co_return refuse(callers ? kInvalidParams : kInternalError, rendered.error().to_string());
    }
    if (!rendered->raw_json.empty())
        co_return Answer{.result = pass_on(std::move(rendered->raw_json), context.era(), meta_text(""))};
    ResultWriter writer(*this, context);
    writer.optional_string("description", rendered->description)
        .raw("messages", render_list(rendered->messages));
    co_return writer.answer();
}

Task<Answer> Methods::read_resource(RequestContext& context) {
    auto uri = json::find_string(context.request().params, "uri");
    if (!uri) co_return refuse(kInvalidParams, "Invalid params: \"uri\" must be a string.");
    if (auto error = take_answers(context)) co_return Answer{.error = std::move(error)};
    // A copy: providers may come and go while one is read.
    auto providers = registry_.resources();
    for (const auto& provider : providers) {
        auto access = provider->reading(std::string(*uri));
        if (!access) continue;
        auto work = [&] { return provider->read(std::string(*uri), context); };
        auto contents = co_await as_result(calls_.run_as<std::optional<std::vector<tools::ResourceContents>>>(
            std::move(*access), {{"uri", *uri}}, context, work, waiting(context)));
        if (!contents) {
            if (auto answer = unanswered(context)) co_return std::move(*answer);
            if (auto answer = refused_elsewhere(contents.error())) co_return std::move(*answer);
            ErrorCode code = contents.error().code;
            if (code == ErrorCode::ElementNotFound || code == ErrorCode::InvalidSelector)
                co_return no_such_resource(context, *uri, contents.error().message);
            co_return refuse(kInternalError, contents.error().to_string());
        }
        if (!*contents) continue;
        for (tools::ResourceContents& each : **contents)
            if (options_.middleware) each = options_.middleware->shown(std::move(each));
        std::size_t size = 0;
        for (const tools::ResourceContents& each : **contents) size += tools::size_of(each);
        if (options_.max_result_bytes > 0 && size > options_.max_result_bytes) {
            co_return refuse(kInternalError, "This resource is too large for one answer. " +
                                                 tools::over_limit(size, options_.max_result_bytes));
        }
        ResultWriter writer(*this, context);
        writer.raw("contents", render_list(**contents));
        co_return writer.cacheable(std::chrono::milliseconds(0), "private").answer();
    }
    co_return no_such_resource(context, *uri);
}

Task<Answer> Methods::listen(RequestContext& context) {
    const json::object* wanted = json::find_object(context.request().params, "notifications");
    if (!wanted) co_return refuse(kInvalidParams, "Invalid params: \"notifications\" must be an object.");
    SubscriptionFilter filter{
        .tools = json::find_bool(*wanted, "toolsListChanged").value_or(false),
        .prompts = json::find_bool(*wanted, "promptsListChanged").value_or(false),
        .resources = json::find_bool(*wanted, "resourcesListChanged").value_or(false),
    };
    json::object accepted;
    if (filter.tools) accepted["toolsListChanged"] = true;
    if (filter.prompts) accepted["promptsListChanged"] = true;
    if (filter.resources) accepted["resourcesListChanged"] = true;
    if (const json::array* uris = json::find_array(*wanted, "resourceSubscriptions")) {
        json::array taken;
        for (const json::value& uri : *uris) {
            if (!uri.is_string() || filter.uris.contains(std::string_view(uri.get_string()))) continue;
            std::string named(uri.get_string());
            auto permitted = may_subscribe(named, registry_, options_.gate, context.caller());
            // A resource that is not acknowledged is not watched.
            if (!permitted && permitted.error().code == ErrorCode::NotFound) continue;
            if (!permitted) co_return refuse(kInternalError, permitted.error().to_string());
            filter.uris.emplace(named, watch_resource(named, registry_, context.caller()));
            taken.push_back(uri);
        }
        accepted["resourceSubscriptions"] = std::move(taken);
    }
    std::string meta = "{\"" + std::string(kMetaSubscription) + "\":" + to_json(context.request().id) + "}";
    Completion<bool> ended(loop_);
    Subscriptions::Listener listener(subscriptions_, context.caller(), std::move(filter),
                                     [&](std::string_view method, std::string_view uri) {
                                         ObjectWriter params;
                                         params.raw("_meta", meta).optional_string("uri", uri);
                                         context.sink().notify(make_notification(method, params.finish()));
                                     });
    listener.on_shutdown = [&] { ended.set(true); };
    if (subscriptions_.has_shut_down()) ended.set(true);
    context.sink().notify(make_notification(
        "notifications/subscriptions/acknowledged",
        ObjectWriter().raw("_meta", meta).raw("notifications", json::serialize(accepted)).finish()));
    co_await ended;
    json::object result_meta{{kMetaServerInfo, server_info()}};
    if (const auto* number = std::get_if<std::int64_t>(&context.request().id)) {
        result_meta[kMetaSubscription] = *number;
    } else {
        result_meta[kMetaSubscription] = std::get<std::string>(context.request().id);
    }
    co_return Answer{.result = ObjectWriter()
                                   .string("resultType", "complete")
                                   .raw("_meta", json::serialize(result_meta))
                                   .finish()};
}

}  // namespace mcp
