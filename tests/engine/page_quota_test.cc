#include "engine/page_quota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using engine::PageQuota;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

std::shared_ptr<PageQuota> quota(engine::PageLimits limits) { return std::make_shared<PageQuota>(limits); }

TEST(PageQuota, RefusesWhatAPageOpensBeyondTheLimitUntilOneHasGone) {
    auto two = quota({.tabs = 2});
    PageQuota::Place own = two->hold(PageQuota::Kind::Tab);
    PageQuota::Place popup = two->take(PageQuota::Kind::Tab);
    ASSERT_TRUE(popup);

    EXPECT_FALSE(two->take(PageQuota::Kind::Tab));

    popup = nullptr;
    EXPECT_TRUE(two->take(PageQuota::Kind::Tab));
}

TEST(PageQuota, NeverRefusesWhatTheAgentOpened) {
    auto one = quota({.tabs = 1});
    PageQuota::Place first = one->hold(PageQuota::Kind::Tab);
    EXPECT_TRUE(one->hold(PageQuota::Kind::Tab));
}

TEST(PageQuota, CountsTabsAndWorkersApart) {
    auto one = quota({.tabs = 1, .workers = 1});
    PageQuota::Place tab = one->take(PageQuota::Kind::Tab);
    EXPECT_TRUE(one->take(PageQuota::Kind::Worker));
}

TEST(PageQuota, TellsOnceWhatWasRefusedAndWhichOptionDidIt) {
    auto none = quota({.tabs = 0, .workers = 0, .download_bytes = 10});
    for (int i = 0; i < 3; ++i) (void)none->take(PageQuota::Kind::Tab);
    (void)none->take(PageQuota::Kind::Worker);
    none->note_cancelled("a.bin");
    none->note_cancelled("b.bin");

    EXPECT_THAT(
        none->take_refusals(),
        ElementsAre("3 tabs that pages opened were closed: this session may have 0 open (session.maxTabs).",
                    HasSubstr("1 worker that pages started was ended"),
                    AllOf(HasSubstr("The download of \"a.bin\" and 1 more were cancelled"),
                          HasSubstr("10 bytes together (session.maxDownloadBytes)"))));
    EXPECT_THAT(none->take_refusals(), IsEmpty());
}

TEST(PageQuota, AddsUpDownloadsAndForgetsThoseWhoseFilesAreGone) {
    auto ten = quota({.download_bytes = 10});
    ten->add_download(8);
    EXPECT_TRUE(ten->has_room_for(2));
    EXPECT_FALSE(ten->has_room_for(3));
    ten->add_download(8);
    EXPECT_FALSE(ten->has_room_for(0));
    ten->remove_download(8);
    EXPECT_TRUE(ten->has_room_for(2));
    EXPECT_TRUE(quota({})->has_room_for(std::uint64_t(-1)));
}

TEST(PageQuota, OutlivesItsSessionForAsLongAsPlacesAreTaken) {
    auto one = quota({.tabs = 1});
    PageQuota::Place place = one->take(PageQuota::Kind::Tab);
    one = nullptr;
    place = nullptr;
}

}  // namespace
