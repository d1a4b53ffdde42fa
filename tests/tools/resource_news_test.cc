#include "tools/resource_news.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/wait.h"

namespace {

using session::SessionKey;
using session::TabEvent;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using tools::Caller;

const Caller kAnn{.connection = "1", .principal = "ann", .path_name = ""};
const Caller kBob{.connection = "2", .principal = "bob", .path_name = ""};
const Caller kPath{.connection = "", .principal = "ann", .path_name = "work"};

class ResourceNewsTest : public testing::Test {
protected:
    ResourceNewsTest() {
        registry.set_observer([this](const tools::Change& change) {
            for (const auto& [who, caller] :
                 {std::pair("ann", kAnn), std::pair("bob", kBob), std::pair("path", kPath)}) {
                if (change.audience(caller))
                    reported.push_back(
                        std::string(who) + " " +
                        (change.updated_uri.empty() ? "list" : std::string(change.updated_uri)));
            }
        });
    }
    static SessionKey key_of(const Caller& caller) {
        if (caller.path_name.empty()) return {"connection " + caller.connection, ""};
        return {"principal " + caller.principal, caller.path_name};
    }
    void wait_for_news() {
        fakes::run_until(loop, [&] { return !reported.empty(); });
    }

    Loop loop;
    tools::Registry registry;
    std::vector<std::string> reported;
    tools::ResourceNews news{
        loop,
        registry,
        {.owner_of = [](const Caller& caller) { return "principal " + caller.principal; }, .key_of = key_of}};
};

TEST_F(ResourceNewsTest, TellsTheOwnerOnceOfWhatHappensTogether) {
    news.tab_changed({"connection 1", ""}, "T", TabEvent::Navigated);
    news.tab_changed({"connection 1", ""}, "T", TabEvent::Navigated);
    news.tab_changed({"connection 1", ""}, "T", TabEvent::Loaded);
    EXPECT_THAT(reported, IsEmpty());

    wait_for_news();

    EXPECT_THAT(reported,
                UnorderedElementsAre("ann playwright:///session/default", "ann playwright:///page/default/T",
                                     "ann playwright:///page/default/T/snapshot",
                                     "ann playwright:///network-log/default/T"));
}

TEST_F(ResourceNewsTest, TellsOfWhatEachEventChanges) {
    const std::string page = "ann playwright:///page/default/T", snapshot = page + "/snapshot",
                      requests = "ann playwright:///network-log/default/T";
    const std::map<TabEvent, std::vector<std::string>> all = {{TabEvent::Changed, {page, snapshot}},
                                                              {TabEvent::Logged, {page}},
                                                              {TabEvent::Requested, {requests}},
                                                              {TabEvent::GotFile, {"ann list"}}};
    for (const auto& [event, wanted] : all) {
        reported.clear();
        news.tab_changed({"connection 1", ""}, "T", event);
        wait_for_news();
        EXPECT_THAT(reported, testing::UnorderedElementsAreArray(wanted)) << static_cast<int>(event);
    }
}

TEST_F(ResourceNewsTest, TellsOfAChangedListWhenTabsComeAndGo) {
    for (TabEvent event : {TabEvent::Opened, TabEvent::Closed}) {
        reported.clear();
        news.tab_changed({"connection 2", ""}, "T", event);
        wait_for_news();
        EXPECT_THAT(reported, testing::Contains("bob list"));
        EXPECT_THAT(reported, testing::Each(testing::StartsWith("bob ")));
    }
}

TEST_F(ResourceNewsTest, UsesBothAddressesOfASessionThatIsOneCallersOwn) {
    news.session_changed({"principal ann", "work"});

    wait_for_news();

    EXPECT_THAT(reported,
                UnorderedElementsAre("ann list", "path list", "path playwright:///session/default",
                                     "ann playwright:///session/work", "path playwright:///session/work"));
}

}  // namespace
