#include "store/sql.h"

#include "tests/store/fixture.h"

namespace store {
namespace {

using testing::HasSubstr;

class SqlTest : public StoreTest {
protected:
    SqlTest() {
        open();
        store->record(RequestRecord{"r1", "s1", "browser_click", R"({"target":"e1"})"});
        ResponseRecord answer{.ref_id = "r1", .result = "{\"content\":[]}", .page_snapshot = long_text};
        answer.console_logs = {{Level::Error, "boom", "http://x/a.js", 3, 14}, {Level::Info, "hi"}};
        answer.page_url = "http://x/";
        store->record(std::move(answer));
        store->record(RequestRecord{"r2", "s1", "browser_click", "{}"});
        (void)get(store->history({}));
    }
    std::string run(const std::string& statement) {
        auto found = run_sql(options.path, statement);
        if (!found) return found.error().to_string();
        std::string text;
        for (const auto& row : found->rows) {
            for (const json::value& value : row) text += json::serialize(value) + " ";
            text += "\n";
        }
        return text;
    }

    std::string long_text = std::string(1000, 'x') + "\n\"ö\"";
};

TEST_F(SqlTest, ShowsTextsWholeAndMomentsAsPeopleWriteThem) {
    EXPECT_EQ(run("SELECT page_snapshot, result, timestamp FROM responses"),
              json::serialize(json::value(long_text)) +
                  " \"{\\\"content\\\":[]}\" \"2026-03-01T00:00:00.000Z\" \n");
    EXPECT_EQ(run("SELECT session_id, state, created_at FROM sessions"),
              "\"s1\" \"active\" \"2026-03-01T00:00:00.000Z\" \n");
    EXPECT_EQ(run("SELECT params FROM requests WHERE ref_id = 'r1'"), "\"{\\\"target\\\":\\\"e1\\\"}\" \n");
}

TEST_F(SqlTest, ShowsConsoleMessagesAsAnArrayAndAsATable) {
    EXPECT_EQ(run("SELECT json_array_length(console_logs), console_logs ->> '$[0].location.lineNumber', "
                  "console_logs ->> '$[0].level' FROM responses"),
              "2 3 \"error\" \n");
    EXPECT_EQ(run("SELECT message, location ->> '$.columnNumber' FROM console_logs ORDER BY id"),
              "\"boom\" 14 \n\"hi\" null \n");
}

TEST_F(SqlTest, HasAllOfACallInOneTable) {
    EXPECT_EQ(run("SELECT ref_id, tool_name, status, page_url FROM calls ORDER BY ref_id"),
              "\"r1\" \"browser_click\" \"success\" \"http://x/\" \n\"r2\" \"browser_click\" \"unanswered\" "
              "null \n");
}

TEST_F(SqlTest, KnowsThatASessionWhoseServerIsGoneIsNotActive) {
    store.reset();
    EXPECT_EQ(run("SELECT state FROM sessions"), "\"closed\" \n");
}

TEST_F(SqlTest, DecodesColumnsOfTheTablesThemselves) {
    EXPECT_EQ(run("SELECT typeof(page_snapshot), length(blob_text(page_snapshot)) FROM main.responses"),
              "\"integer\" " + std::to_string(long_text.size() - 1) + " \n");
    EXPECT_THAT(run("SELECT blob_text(4711)"), HasSubstr("is damaged. The tables"));
}

TEST_F(SqlTest, OnlyReads) {
    for (const char* statement :
         {"DELETE FROM main.requests", "DROP TABLE main.requests", "PRAGMA query_only = OFF",
          "ATTACH '/tmp/other.db' AS other", "CREATE TEMP TABLE t (a)", "UPDATE main.blobs SET size = 0",
          "INSERT INTO main.purged_refs VALUES (1, 1)", "VACUUM INTO '/tmp/copy.db'", "BEGIN"}) {
        EXPECT_THAT(run(statement), HasSubstr("Only SELECT")) << statement;
    }
    EXPECT_THAT(run("DELETE FROM requests"), HasSubstr("cannot modify requests"));
    EXPECT_THAT(run("SELECT load_extension('x')"), HasSubstr("SQLite says"));
    EXPECT_THAT(run("SELECT writefile('/tmp/x', 'y')"), HasSubstr("SQLite says"));
    EXPECT_THAT(run("SELECT 1; SELECT 2"), HasSubstr("One statement"));
    EXPECT_THAT(run("  "), HasSubstr("no statement"));
    EXPECT_THAT(run("SELECT nope FROM calls"), HasSubstr("no such column: nope"));
    EXPECT_EQ(run("SELECT count(*) FROM main.requests"), "2 \n");
}

}  // namespace
}  // namespace store
