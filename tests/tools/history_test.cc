#include "tools/history.h"

#include <gtest/gtest.h>

#include "tools/history_text.h"

namespace {

constexpr std::string_view kPage =
    "- main [ref=e1]:\n"
    "  - form [ref=e2]:\n"
    "    - textbox \"Mail\" [ref=e3]\n"
    "    - textbox \"Name\" [ref=e4]\n"
    "  - paragraph [ref=e5]: mail us\n"
    "- contentinfo [ref=e6]";

TEST(HistoryText, ShowsMatchingLinesUnderTheLinesTheyBelongTo) {
    EXPECT_EQ(tools::lines_with(kPage, "mail"),
              "- main [ref=e1]:\n  - form [ref=e2]:\n    - textbox \"Mail\" [ref=e3]\n  - paragraph "
              "[ref=e5]: mail us\n");
    EXPECT_EQ(tools::lines_with(kPage, "walrus"), "");
}

TEST(HistoryText, CountsWhatLiesBelowTheLevelsShown) {
    EXPECT_EQ(tools::upper_levels(kPage, 1), "- main [ref=e1]:\n  # 4 lines below\n- contentinfo [ref=e6]\n");
    EXPECT_EQ(tools::upper_levels(kPage, 9), std::string(kPage) + "\n");
}

TEST(HistoryText, IsCutAtALineOrACharacterAndSaysSo) {
    EXPECT_EQ(tools::cut_off("one\ntwo\nthree", 9),
              "one\ntwo\n# 6 characters left out: ask for more with max_chars, or look with search_for.\n");
    EXPECT_TRUE(tools::cut_off("\xC3\xA4\xC3\xA4\xC3\xA4", 3).starts_with("\xC3\xA4\n# 4"));
}

TEST(RecordIdentity, KeepsOwnersApartAndNamesReadable) {
    using tools::record_identity;
    EXPECT_EQ(record_identity("", "", "ann").session_id, "ann");
    auto owned = record_identity("principal a", "principal a", "ann");
    EXPECT_TRUE(owned.session_id.starts_with("ann@"));
    EXPECT_EQ(tools::shown_session(owned.session_id), "ann");
    // A name that looks like another's session is not that session.
    EXPECT_NE(record_identity("", "", owned.session_id).session_id, owned.session_id);
    EXPECT_NE(record_identity("", "", "ann").owner, owned.owner);
    auto own = record_identity("connection x", "connection x", "");
    EXPECT_TRUE(own.session_id.starts_with("default@"));
    EXPECT_EQ(tools::shown_session(own.session_id), "default");
    EXPECT_EQ(own.session_id.find("connection"), std::string::npos) << "a connection's id is a secret";
}

}  // namespace
