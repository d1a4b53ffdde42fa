#include "mcp/modern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/protocol.h"

using testing::HasSubstr;

namespace {

constexpr std::string_view kEnvelope =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}})";

// A connection that speaks the stateless revision, as over stdio.
class ModernTest : public testing::Test {
protected:
    json::value send(std::string_view method, std::string_view params = "", std::string_view id = "1") {
        connection.receive_text(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" +
                                    std::string(method) + R"(","params":{)" + std::string(kEnvelope) +
                                    (params.empty() ? "" : ",") + std::string(params) + "}}",
                                sink);
        protocol.settle();
        return sink->last();
    }

    fakes::Protocol protocol;
    std::shared_ptr<fakes::RecordingSink> sink = std::make_shared<fakes::RecordingSink>();
    fakes::RecordingSink peer;
    mcp::Connection connection{protocol.server, peer, {}};
};

mcp::Rejection rejected(const mcp::Request& request,
                        const std::map<std::string, std::string, std::less<>>& headers,
                        const tools::Registry& registry) {
    mcp::HeaderLookup lookup = [&](std::string_view name) -> std::optional<std::string_view> {
        auto it = headers.find(name);
        return it == headers.end() ? std::nullopt : std::optional<std::string_view>(it->second);
    };
    auto opened = mcp::open_modern_request(request, &lookup, registry, {});
    if (auto* rejection = std::get_if<mcp::Rejection>(&opened)) return *rejection;
    return {.error = {.code = 0}, .http_status = 200};
}

mcp::Request request(std::string_view method, std::string_view params = "") {
    auto parsed =
        json::parse("{" + std::string(kEnvelope) + (params.empty() ? "" : ",") + std::string(params) + "}")
            .value();
    return {.id = 1, .method = std::string(method), .params = parsed.as_object()};
}

}  // namespace

TEST_F(ModernTest, MarksEveryResultCompleteAndSaysWhoAnswers) {
    json::value result = send("server/discover").at("result");
    EXPECT_EQ(result.at("resultType").as_string(), "complete");
    EXPECT_EQ(json::serialize(result.at("supportedVersions")), R"(["2026-07-28"])");
    EXPECT_EQ(result.at("_meta").at("io.modelcontextprotocol/serverInfo").at("version").as_string(), "1.2.3");
    for (const char* method :
         {"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"}) {
        result = send(method).at("result");
        EXPECT_GE(result.at("ttlMs").as_int64(), 0) << method;
        EXPECT_TRUE(result.at("cacheScope") == "public" || result.at("cacheScope") == "private") << method;
    }
}

TEST_F(ModernTest, LetsNobodyKeepAListThatPagesHaveAPartIn) {
    auto lifetime = [&](const char* method) { return send(method).at("result").at("ttlMs").as_int64(); };
    EXPECT_EQ(lifetime("resources/list"), 0);
    EXPECT_GT(lifetime("tools/list"), 0);
    protocol.registry.set_own_tools(
        [](const tools::Caller&) { return std::vector<std::shared_ptr<const tools::Tool>>(); });
    EXPECT_EQ(lifetime("tools/list"), 0);
}

TEST_F(ModernTest, AddsWhatTheEraWantsToAnotherServersResult) {
    std::string given = R"({ "content" : [], "future": 1 })";
    protocol.add("given", [&](tools::Call) { return fakes::raw_json(given); });
    auto result = [&] { return send("tools/call", R"("name":"given")").at("result"); };
    EXPECT_EQ(result().at("resultType").as_string(), "complete");
    EXPECT_EQ(result().at("future").as_int64(), 1);
    EXPECT_TRUE(result().at("_meta").as_object().contains("io.modelcontextprotocol/serverInfo"));
    given = R"({"_meta":{"own":true}})";
    EXPECT_EQ(json::serialize(result()), R"({"resultType":"complete","_meta":{"own":true}})");
    given = "{ }";
    EXPECT_EQ(result().as_object().size(), 2U);
}

TEST_F(ModernTest, HasNoneOfTheHandshakesMethods) {
    for (const char* method :
         {"initialize", "ping", "logging/setLevel", "resources/subscribe", "tasks/get"}) {
        EXPECT_EQ(send(method).at("error").at("code").as_int64(), mcp::kMethodNotFound) << method;
    }
}

TEST_F(ModernTest, LivesBesideAHandshakeOnOneConnection) {
    connection.receive_text(
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}})",
        sink);
    EXPECT_EQ(sink->last().at("result").at("protocolVersion").as_string(), "2025-11-25");
    EXPECT_EQ(send("tools/list").at("result").at("resultType").as_string(), "complete");
    connection.receive_text(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", sink);
    EXPECT_FALSE(sink->last().at("result").as_object().contains("resultType"));
}

TEST_F(ModernTest, LogsOnlyToARequestThatSetALevel) {
    send("tools/call", R"("name":"wait")", "5");
    EXPECT_TRUE(sink->messages.empty());
}

TEST_F(ModernTest, AsksByResultAndRunsAgainWithTheAnswers) {
    json::value first = send("tools/call", R"("name":"ask")").at("result");
    EXPECT_EQ(first.at("resultType").as_string(), "input_required");
    EXPECT_EQ(first.at("inputRequests").at("name").at("method").as_string(), "elicitation/create");

    json::value second =
        send(
            "tools/call",
            R"("name":"ask","inputResponses":{"name":{"action":"accept","content":{"name":"A"}}},"requestState":)" +
                json::serialize(first.at("requestState")))
            .at("result");
    EXPECT_EQ(second.at("resultType").as_string(), "input_required");
    EXPECT_TRUE(second.at("inputRequests").as_object().contains("color"));
    EXPECT_NE(second.at("requestState"), first.at("requestState"));

    json::value third =
        send("tools/call", R"("name":"ask","inputResponses":{"color":{"action":"cancel"}},"requestState":)" +
                               json::serialize(second.at("requestState")))
            .at("result");
    EXPECT_EQ(third.at("resultType").as_string(), "complete");
    EXPECT_THAT(json::serialize(third), HasSubstr("cancel"));
}

TEST_F(ModernTest, RefusesStateThatWasTamperedWithOrBelongsElsewhere) {
    json::value first = send("tools/call", R"("name":"ask")").at("result");
    std::string state(first.at("requestState").as_string());
    EXPECT_EQ(send("tools/call", R"("name":"ask","requestState":")" + state + "x\"")
                  .at("error")
                  .at("code")
                  .as_int64(),
              mcp::kInvalidParams);
    EXPECT_EQ(send("tools/call", R"("name":"echo","arguments":{"text":"x"},"requestState":")" + state + "\"")
                  .at("error")
                  .at("code")
                  .as_int64(),
              mcp::kInvalidParams);
    EXPECT_EQ(send("tools/call", R"("name":"ask","requestState":5)").at("error").at("code").as_int64(),
              mcp::kInvalidParams);
}

TEST_F(ModernTest, AsksAgainForAnswersThatAreMissingOrMalformed) {
    EXPECT_EQ(send("tools/call", R"("name":"ask","inputResponses":{"other":{"action":"accept"}})")
                  .at("result")
                  .at("resultType")
                  .as_string(),
              "input_required");
    EXPECT_EQ(send("tools/call", R"("name":"ask","inputResponses":{"name":12})")
                  .at("result")
                  .at("resultType")
                  .as_string(),
              "input_required");
}

namespace {

Task<tools::ToolResult> ask_once(tools::Call call) {
    tools::InputRequest question = tools::elicit("sure", "Sure?", fakes::one_field("why"));
    question.once = true;
    auto answers = co_await call.client.ask({std::move(question)});
    co_return tools::ToolResult::text(json::serialize(answers["sure"]));
}

}  // namespace

TEST_F(ModernTest, RunsACallOnceForAnAnswerThatCountsOnce) {
    protocol.add("ask_once", ask_once);
    auto type_of = [](const json::value& answer) {
        return std::string(answer.at("result").at("resultType").as_string());
    };
    std::string accepted = R"("name":"ask_once","inputResponses":{"sure":{"action":"accept"}})";
    // Nobody was asked yet.
    json::value first = send("tools/call", accepted);
    EXPECT_EQ(type_of(first), "input_required");
    std::string answered =
        accepted + ",\"requestState\":" + json::serialize(first.at("result").at("requestState"));

    EXPECT_EQ(type_of(send("tools/call", answered)), "complete");
    EXPECT_EQ(type_of(send("tools/call", answered)), "input_required");
}

TEST_F(ModernTest, AcknowledgesASubscriptionAndTagsWhatItSends) {
    send(
        "subscriptions/listen",
        R"("notifications":{"toolsListChanged":true,"resourceSubscriptions":["x://a","y://a"],"unknown":true})",
        "\"sub\"");
    ASSERT_EQ(sink->messages.size(), 1u);
    EXPECT_EQ(sink->messages[0].at("method").as_string(), "notifications/subscriptions/acknowledged");
    EXPECT_EQ(json::serialize(sink->messages[0].at("params").at("notifications")),
              R"({"toolsListChanged":true,"resourceSubscriptions":["x://a"]})");

    protocol.registry.remove_tool("fail");
    protocol.registry.remove_prompt("none");
    protocol.registry.resource_list_changed();
    protocol.registry.resource_updated("x://a");
    ASSERT_EQ(sink->messages.size(), 3u);
    EXPECT_EQ(sink->messages[1].at("method").as_string(), "notifications/tools/list_changed");
    EXPECT_EQ(sink->messages[2].at("params").at("uri").as_string(), "x://a");
    for (const json::value& message : sink->messages) {
        EXPECT_EQ(message.at("params").at("_meta").at("io.modelcontextprotocol/subscriptionId").as_string(),
                  "sub");
    }
}

TEST_F(ModernTest, EndsSubscriptionsWithAResultWhenTheServerEnds) {
    send("subscriptions/listen", R"("notifications":{"toolsListChanged":true})", "9");
    protocol.server.shut_down();
    protocol.settle();
    EXPECT_EQ(sink->last().at("id").as_int64(), 9);
    EXPECT_EQ(sink->last().at("result").at("resultType").as_string(), "complete");
    EXPECT_EQ(sink->last().at("result").at("_meta").at("io.modelcontextprotocol/subscriptionId").as_int64(),
              9);
}

TEST_F(ModernTest, CancelsASubscriptionOnStdio) {
    send("subscriptions/listen", R"("notifications":{"toolsListChanged":true})", "9");
    connection.receive_text(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}})", sink);
    protocol.registry.remove_tool("fail");
    EXPECT_EQ(sink->messages.size(), 1u);
}

TEST(ModernEnvelope, NeedsVersionAndCapabilitiesButNotTheClientsName) {
    tools::Registry registry;
    mcp::Request bare{.id = 1, .method = "tools/list", .params = {}};
    EXPECT_EQ(rejected(bare, {}, registry).error.code, mcp::kInvalidParams);
    bare.params["_meta"] = json::object{{mcp::kMetaVersion, "2026-07-28"}};
    EXPECT_EQ(rejected(bare, {}, registry).error.code, mcp::kInvalidParams);
    bare.params["_meta"] = json::object{{mcp::kMetaVersion, 5}, {mcp::kMetaCapabilities, json::object{}}};
    EXPECT_EQ(rejected(bare, {}, registry).error.code, mcp::kInvalidParams);
}

TEST(ModernHeaders, MustRepeatWhatTheBodySays) {
    fakes::Protocol protocol;
    using Map = std::map<std::string, std::string, std::less<>>;
    Map good{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/call"}, {"Mcp-Name", " echo "}};
    mcp::Request call = request("tools/call", R"("name":"echo")");
    EXPECT_EQ(rejected(call, good, protocol.registry).error.code, 0);

    for (const char* missing : {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"}) {
        Map headers = good;
        headers.erase(missing);
        EXPECT_EQ(rejected(call, headers, protocol.registry).error.code, mcp::kHeaderMismatch) << missing;
        headers[missing] = "other";
        EXPECT_EQ(rejected(call, headers, protocol.registry).error.code, mcp::kHeaderMismatch) << missing;
    }
    good["Mcp-Name"] = "=?base64?ZWNobw==?=";
    EXPECT_EQ(rejected(call, good, protocol.registry).error.code, 0);
    good["Mcp-Name"] = "=?base64?Z?=";
    EXPECT_EQ(rejected(call, good, protocol.registry).error.code, mcp::kHeaderMismatch);
}

TEST(ModernHeaders, UnknownMethodIsNotFoundAndUnknownVersionUnsupported) {
    tools::Registry registry;
    auto unknown = rejected(request("no/such"),
                            {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "no/such"}}, registry);
    EXPECT_EQ(unknown.error.code, mcp::kMethodNotFound);
    EXPECT_EQ(unknown.http_status, 404);

    mcp::Request future = request("tools/list");
    future.params["_meta"].as_object()[mcp::kMetaVersion] = "v999.0.0";
    auto unsupported =
        rejected(future, {{"MCP-Protocol-Version", "v999.0.0"}, {"Mcp-Method", "tools/list"}}, registry);
    EXPECT_EQ(unsupported.error.code, mcp::kUnsupportedVersion);
    EXPECT_EQ(unsupported.error.data->at("requested").as_string(), "v999.0.0");
    EXPECT_EQ(rejected(future, {{"MCP-Protocol-Version", "2026-07-28"}}, registry).error.code,
              mcp::kHeaderMismatch);
}

TEST(ModernHeaders, HoldMarkedArgumentsToTheirHeaders) {
    tools::Registry registry;
    registry.add(tools::Tool{
        .name = "t",
        .input_schema =
            json::parse(R"({"type":"object","properties":{"s":{"type":"string","x-mcp-header":"S"},
                                                              "n":{"type":"integer","x-mcp-header":"N"}}})")
                .value()
                .as_object()});
    std::map<std::string, std::string, std::less<>> headers{
        {"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/call"}, {"Mcp-Name", "t"}};
    mcp::Request call = request("tools/call", R"("name":"t","arguments":{"s":"a","n":7})");
    EXPECT_EQ(rejected(call, headers, registry).error.code, mcp::kHeaderMismatch);
    headers["Mcp-Param-S"] = "a";
    headers["Mcp-Param-N"] = "7.0";
    EXPECT_EQ(rejected(call, headers, registry).error.code, 0);
    headers["Mcp-Param-N"] = "8";
    EXPECT_EQ(rejected(call, headers, registry).error.code, mcp::kHeaderMismatch);
}
