// Prompts and resources of the server behind a session.
#include "upstream/prompts_and_resources.h"

#include "tests/upstream/fixture.h"

namespace {

using namespace upstream_tests;
using testing::ElementsAre;
using testing::HasSubstr;

class UpstreamPromptsAndResources : public UpstreamTest {
protected:
    UpstreamPromptsAndResources() { options.command.emplace_back("--extras"); }

    std::vector<std::string> prompts() const {
        std::vector<std::string> names;
        for (const auto& prompt : registry.prompts()) names.push_back(prompt->name);
        return names;
    }
    Result<std::string> get(const std::string& prompt, tools::PromptArguments given = {}) {
        auto result = run_task(loop, registry.find_prompt(prompt)->render(std::move(given), client));
        if (!result) return result.error();
        return result->raw_json;
    }
    // Nothing for what is not the server's.
    std::optional<std::string> read(const std::string& uri) {
        auto contents = run_task(loop, registry.resources().at(0)->read(uri, client));
        return contents && *contents ? (*contents)->at(0).text : std::nullopt;
    }

    FakeClient client{"one"};
};

TEST_F(UpstreamPromptsAndResources, OffersNothingOfAServerThatDeclaresNothing) {
    options.command.pop_back();
    begin();
    EXPECT_TRUE(registry.prompts().empty());
    EXPECT_TRUE(registry.resources().empty());
}

TEST_F(UpstreamPromptsAndResources, ListsPromptsBesideOursAndHandsThemOnByteForByte) {
    tools::Prompt ours;
    ours.name = "taken";
    registry.add(std::move(ours));
    begin();
    EXPECT_THAT(prompts(), ElementsAre("taken", "greet", "upstream_taken"));
    EXPECT_TRUE(registry.find_prompt("greet")->arguments.at(0).required);
    EXPECT_EQ(get("greet", {{"who", "Ann"}}).value(),
              R"({ "messages" : [], "asked":{"name":"greet","arguments":{"who":"Ann"}}})");
    EXPECT_THAT(get("upstream_taken").value(), HasSubstr(R"("name":"taken")"));
}

TEST_F(UpstreamPromptsAndResources, ReadsResourcesOfTheSessionsOwnServer) {
    begin();
    EXPECT_EQ(read("fake://note"), "of " + std::to_string(pid("one")));
    EXPECT_EQ(read("elsewhere://note"), std::nullopt);
    auto listed = registry.resources().at(0)->list(client.caller());
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_EQ(listed[0].mime_type, "text/plain");
    EXPECT_EQ(registry.resources().at(0)->templates().at(0).uri_template, "fake://{name}");
}

TEST_F(UpstreamPromptsAndResources, PassesUpdatesOnToThoseWhoWatchFromTheSessionOnly) {
    begin();
    std::vector<std::string> updated;
    registry.set_observer([&](const tools::Change& change) {
        if (change.updated_uri.empty()) return;
        bool is_own = change.audience(client.caller()),
             is_others = change.audience(FakeClient("two").caller());
        updated.push_back(std::string(change.updated_uri) + (is_own ? " own" : "") +
                          (is_others ? " others" : ""));
    });
    int first = pid("one");
    auto watching = registry.resources().at(0)->watch("fake://note", client.caller());
    auto again = registry.resources().at(0)->watch("fake://note", client.caller());
    run_until(loop, [&] { return !updated.empty(); });
    EXPECT_THAT(updated, ElementsAre("fake://note own"));

    // The next server of the session is subscribed to as well.
    (void)call("crash");
    EXPECT_NE(pid("one"), first);
    run_until(loop, [&] { return updated.size() == 2; });

    watching.reset();
    EXPECT_EQ(said("watched"), "fake://note");
    again.reset();
    EXPECT_EQ(said("watched"), "");
}

TEST_F(UpstreamPromptsAndResources, RemembersThemFromTheLastTime) {
    options.tool_cache =
        std::filesystem::path(testing::TempDir()) / ("extras-" + std::to_string(::getpid())) / "list.json";
    begin();
    static_cast<void>(run_task(loop, engine->close()));
    tools::Registry fresh;
    std::swap(registry, fresh);
    options.command.emplace_back("--broken");  // it is not asked again
    begin();
    EXPECT_THAT(prompts(), ElementsAre("greet", "taken"));
    EXPECT_EQ(registry.resources().at(0)->list(client.caller()).size(), 1U);
    std::filesystem::remove_all(options.tool_cache.parent_path());
}

TEST_F(UpstreamPromptsAndResources, AreNotForSessionsOfTheOtherEngine) {
    tools::Registry native;
    options.native = {.tools = &native, .has_session = [](const session::SessionKey&) { return true; }};
    begin();
    EXPECT_TRUE(registry.resources().at(0)->list(client.caller()).empty());
    EXPECT_EQ(read("fake://note"), std::nullopt);
    EXPECT_THAT(get("greet").error().message, HasSubstr("engine is native"));
    EXPECT_EQ(engine->child_count(), 0U);
}

}  // namespace
