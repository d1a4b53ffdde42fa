#include "store/content.h"

#include "tests/store/fixture.h"

using testing::HasSubstr;

namespace store {
namespace {

const std::string kBefore = "- main [ref=e1]:\n  - textbox \"Name\" [ref=e2]\n  - button \"Send\" [ref=e3]\n";
const std::string kAfter =
    "- main [ref=e1]:\n  - textbox \"Name\" [ref=e2]: Ada\n  - button \"Send\" [ref=e3]\n";
const std::string kDifference =
    " - main [ref=e1]:\n-  - textbox \"Name\" [ref=e2]\n+  - textbox \"Name\" [ref=e2]: Ada\n";

struct ContentTest : StoreTest {
    Content read(ContentQuery query) { return get(store->read_content(std::move(query))); }
};

}  // namespace

TEST_F(ContentTest, IsWholeAtFirstAndEmptyWhenReadAgain) {
    open();
    std::string ref = call("s1", page(1));
    Content first = read({.reader = "r", .ref_id = ref});
    EXPECT_EQ(first.text, page(1));
    EXPECT_FALSE(first.is_difference);
    Content second = read({.reader = "r", .ref_id = ref});
    EXPECT_EQ(second.text, "");
    EXPECT_TRUE(second.is_difference);
}

TEST_F(ContentTest, IsWholeAgainWhenTheCursorIsReset) {
    open();
    std::string ref = call("s1", page(1));
    read({.reader = "r", .ref_id = ref});
    EXPECT_EQ(read({.reader = "r", .ref_id = ref, .reset_cursor = true}).text, page(1));
    EXPECT_EQ(read({.reader = "r", .ref_id = ref}).text, "");
}

TEST_F(ContentTest, SinceTheLastReadOfThePageIsWhatMoved) {
    open();
    std::string a = call("s1", kBefore);
    read({.reader = "r", .ref_id = a});
    call("s1", "- main [ref=e1]\n");
    std::string c = call("s1", kAfter);
    Content content = read({.reader = "r", .ref_id = c, .since = "last"});
    EXPECT_EQ(content.text, kDifference);
    EXPECT_EQ(content.since_ref, a);
    // And from there on.
    EXPECT_EQ(read({.reader = "r", .ref_id = c, .since = "last"}).text, "");
}

TEST_F(ContentTest, SinceTheLastReadIsWholeWhenThereWasNoneOfThatPage) {
    open();
    std::string a = call("s1", kBefore);
    read({.reader = "r", .ref_id = a});
    std::string other = call("s1", ResponseRecord{.page_snapshot = kAfter, .page_url = "http://other/"});
    EXPECT_EQ(read({.reader = "r", .ref_id = other, .since = "last"}).text, kAfter);
}

TEST_F(ContentTest, SinceAnotherCallIsTheDifferenceToIt) {
    open();
    std::string a = call("s1", kBefore), b = call("s1", kAfter);
    EXPECT_EQ(read({.reader = "r", .ref_id = b, .since = a}).text, kDifference);
    EXPECT_EQ(get(store->diff(a, b)), kDifference);
    EXPECT_EQ(get(store->diff(a, a)), "");
    Result<Content> unknown = wait(store->read_content({.reader = "r", .ref_id = b, .since = "nobody's"}));
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().message, HasSubstr("No call nobody's"));
}

TEST_F(ContentTest, OfOneReaderIsNotConsumedByAnother) {
    open();
    std::string a = call("s1", kBefore), b = call("s1", kAfter);
    read({.reader = "r1", .ref_id = a});
    EXPECT_EQ(read({.reader = "r2", .ref_id = a}).text, kBefore);
    EXPECT_EQ(read({.reader = "r2", .ref_id = b, .since = "last"}).text, kDifference);
    EXPECT_EQ(read({.reader = "r1", .ref_id = b, .since = "last"}).text, kDifference);
}

TEST_F(ContentTest, CursorsSurviveARestart) {
    open();
    std::string a = call("s1", kBefore);
    read({.reader = "r", .ref_id = a});
    open();
    EXPECT_EQ(read({.reader = "r", .ref_id = a}).text, "");
    std::string b = call("s1", kAfter);
    EXPECT_EQ(read({.reader = "r", .ref_id = b, .since = "last"}).text, kDifference);
    Cursor cursor = *get(store->cursor("r", b));
    EXPECT_EQ(cursor.last_snapshot_hash, sha256(kAfter));
    EXPECT_EQ(cursor.cursor_position, std::int64_t(kAfter.size()));
    EXPECT_GE(cursor.last_read, Time(now));
}

TEST_F(ContentTest, OfACallWithoutASnapshotSaysSo) {
    open();
    std::string ref = call("s1", ResponseRecord{});
    Result<Content> content = wait(store->read_content({.reader = "r", .ref_id = ref}));
    ASSERT_FALSE(content);
    EXPECT_THAT(content.error().message, HasSubstr("has no page snapshot"));
}

TEST_F(ContentTest, OfAMegabyteWithOneWordChangedIsShort) {
    open();
    std::string before = page(1, 25'000), after = before;
    after.replace(after.find("Product", 500'000), 7, "Article");
    std::string a = call("s1", before), b = call("s1", after);
    read({.reader = "r", .ref_id = a});
    std::string text = read({.reader = "r", .ref_id = b, .since = "last"}).text;
    EXPECT_LT(text.size(), 1'000u);
    EXPECT_THAT(text, HasSubstr("Article"));
}

}  // namespace store
