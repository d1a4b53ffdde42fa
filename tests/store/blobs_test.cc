#include "store/blobs.h"

#include "store/database_files.h"
#include "tests/store/fixture.h"

namespace store {
namespace {

struct BlobsTest : StoreTest {
    BlobsTest() : db(*open_for_writing(options.path, trouble)), blobs(*db) {}

    std::int64_t put(const std::string& text, const std::string& key = "page") {
        auto stored = blobs.put(text, {key});
        EXPECT_TRUE(stored);
        return stored->id;
    }
    std::string read(std::int64_t id) {
        Compressor compressor;
        Result<std::string> text = read_blob(*db, compressor, id);
        return text ? *text : text.error().message;
    }
    std::int64_t number(const std::string& sql) { return db->number(sql).value_or(-1); }

    Trouble trouble = Trouble::None;
    std::unique_ptr<Database> db;
    BlobWriter blobs;
};

}  // namespace

TEST_F(BlobsTest, AreStoredOnce) {
    std::int64_t id = put(page(1), "a");
    EXPECT_EQ(put(page(1), "b"), id);
    EXPECT_EQ(put(page(1), "a"), id);
    EXPECT_EQ(number(R"(SELECT "references" FROM blobs)"), 3);
    EXPECT_EQ(number("SELECT count(*) FROM blobs"), 1);
    EXPECT_EQ(*find_blob(*db, sha256(page(1))), id);
}

TEST_F(BlobsTest, OfANearlyEqualTextTakeHardlyAnySpace) {
    put(page(1));
    std::int64_t id = put(page(2));
    EXPECT_LT(number("SELECT length(content) FROM blobs WHERE id = " + std::to_string(id)), 60);
    EXPECT_EQ(read(id), page(2));
}

TEST_F(BlobsTest, OfANearlyEqualMegabyteToo) {
    std::string large = page(1, 25'000);
    ASSERT_GT(large.size(), 1'000'000u);
    put(large);
    std::string changed = large;
    changed.replace(500'000, 4, "word");
    std::int64_t id = put(changed);
    EXPECT_LT(number("SELECT length(content) FROM blobs WHERE id = " + std::to_string(id)), 1'000);
    EXPECT_EQ(read(id), changed);
}

TEST_F(BlobsTest, ComeBackToTheByteWhereverTheyAreInAChain) {
    std::vector<std::int64_t> ids;
    for (int i = 0; i < 3 * kMaxChainLength; ++i) ids.push_back(put(page(i)));
    for (int i = 0; i < 3 * kMaxChainLength; ++i) ASSERT_EQ(read(ids[i]), page(i)) << i;
    EXPECT_EQ(number("SELECT max(depth) FROM blobs"), kMaxChainLength - 1);
    EXPECT_EQ(number("SELECT count(*) FROM blobs WHERE base IS NULL"), 3);
}

TEST_F(BlobsTest, OfAnotherPageStandAlone) {
    put(page(1));
    std::string other;
    for (int i = 0; i < 300; ++i) other += "- row " + hex_encode(sha256(std::to_string(i))) + "\n";
    std::int64_t id = put(other);
    EXPECT_EQ(number("SELECT base IS NULL FROM blobs WHERE id = " + std::to_string(id)), 1);
    EXPECT_EQ(read(id), other);
}

TEST_F(BlobsTest, StayAsLongAsAnybodyNeedsThem) {
    std::int64_t first = put(page(1)), second = put(page(2)), third = put(page(3));
    ASSERT_TRUE(blobs.release(first));
    ASSERT_TRUE(blobs.release(second));
    // The third is made from the second, and that from the first.
    EXPECT_EQ(read(third), page(3));
    ASSERT_TRUE(blobs.release(third));
    EXPECT_EQ(number("SELECT count(*) FROM blobs"), 0);
}

TEST_F(BlobsTest, AreNotBuiltOnWhatHasGone) {
    std::int64_t first = put(page(1));
    ASSERT_TRUE(blobs.release(first));
    std::int64_t second = put(page(2));
    EXPECT_EQ(read(second), page(2));
    EXPECT_EQ(number("SELECT count(*) FROM blobs WHERE base IS NOT NULL"), 0);
}

TEST_F(BlobsTest, ThatWereDamagedAreNotTakenForTheText) {
    std::int64_t id = put(page(1));
    ASSERT_TRUE(db->execute("UPDATE blobs SET hash = zeroblob(32)"));
    EXPECT_EQ(read(id), "A stored text is damaged.");
    ASSERT_TRUE(db->execute("UPDATE blobs SET content = zeroblob(32)"));
    EXPECT_EQ(read(id), "A stored text is damaged.");
}

}  // namespace store
