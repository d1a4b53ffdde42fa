#include "transport/sse_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using transport::SseEvent;
using transport::SseParser;

std::vector<SseEvent> parse(std::string_view text) {
    SseParser parser;
    std::vector<SseEvent> events;
    EXPECT_TRUE(parser.feed(text, events));
    return events;
}

SseEvent message(std::string data) { return {.type = "message", .data = std::move(data)}; }

TEST(SseParser, GivesEventsWithTheirTypeAndData) {
    EXPECT_THAT(parse("event: message\ndata: {\"a\":1}\n\nevent: other\ndata:x\n\n"),
                ElementsAre(message("{\"a\":1}"), SseEvent{.type = "other", .data = "x"}));
}

TEST(SseParser, TakesEveryKindOfLineEnd) {
    for (std::string end : {"\n", "\r", "\r\n"})
        EXPECT_THAT(parse("data: a" + end + "data: b" + end + end + "data: c" + end + end),
                    ElementsAre(message("a\nb"), message("c")));
}

TEST(SseParser, SkipsCommentsUnknownFieldsAndAByteOrderMark) {
    EXPECT_THAT(parse("\xEF\xBB\xBF: hello\ndata: a\n:keepalive\nfoo: bar\nfoo\n\n: x\n\n\n\ndata: b\n\n"),
                ElementsAre(message("a"), message("b")));
    EXPECT_THAT(parse("data: a\n\n\xEF\xBB\xBF"
                      "data: b\n\n"),
                ElementsAre(message("a")));
}

TEST(SseParser, RemovesOneSpaceAndKeepsColons) {
    EXPECT_THAT(parse("data:  a: b\n\ndata\n\ndata:\ndata:\n\n"),
                ElementsAre(message(" a: b"), message(""), message("\n")));
}

TEST(SseParser, GivesNoEventThatIsNotFinished) {
    EXPECT_THAT(parse("data: a\n\ndata: b\n"), ElementsAre(message("a")));
}

TEST(SseParser, RemembersTheIdFromTheEndOfItsEventOn) {
    SseParser parser;
    std::vector<SseEvent> events;
    ASSERT_TRUE(parser.feed("id: 1\n", events));
    EXPECT_EQ(parser.last_event_id(), "");
    ASSERT_TRUE(parser.feed("\n", events));
    EXPECT_EQ(parser.last_event_id(), "1");
    EXPECT_THAT(events, IsEmpty());
    ASSERT_TRUE(parser.feed("data: x\n\n", events));
    EXPECT_EQ(parser.last_event_id(), "1");
    ASSERT_TRUE(parser.feed(std::string_view("id: a\0b\n\n", 9), events));
    EXPECT_EQ(parser.last_event_id(), "1");
    ASSERT_TRUE(parser.feed("id\n\n", events));
    EXPECT_EQ(parser.last_event_id(), "");
}

TEST(SseParser, TakesARetryThatIsANumber) {
    SseParser parser;
    std::vector<SseEvent> events;
    ASSERT_TRUE(parser.feed("retry: x\nretry:\nretry: -1\nretry: 1s\n", events));
    EXPECT_FALSE(parser.retry());
    ASSERT_TRUE(parser.feed("retry: 250\n", events));
    EXPECT_EQ(parser.retry(), 250ms);
    ASSERT_TRUE(parser.feed("retry: 99999999999999999999999\n", events));
    EXPECT_EQ(parser.retry(), std::chrono::milliseconds(7 * 24h));
}

TEST(SseParser, DoesNotCareWhereTheBytesAreCut) {
    std::string text =
        "\xEF\xBB\xBF: c\r\nid: 7\r\nevent: e\r\ndata: one\r\ndata: two\r\n\r\n"
        "retry: 5\rdata: caf\xC3\xA9\r\rid: 8\ndata: x\n\n\ndata: y\r\n\n";
    SseParser whole;
    std::vector<SseEvent> expected;
    ASSERT_TRUE(whole.feed(text, expected));
    ASSERT_EQ(expected.size(), 4u);
    for (std::size_t first = 0; first <= text.size(); ++first) {
        for (std::size_t second = first; second <= text.size(); ++second) {
            SseParser parser;
            std::vector<SseEvent> events;
            ASSERT_TRUE(parser.feed(text.substr(0, first), events));
            ASSERT_TRUE(parser.feed(text.substr(first, second - first), events));
            ASSERT_TRUE(parser.feed(text.substr(second), events));
            ASSERT_EQ(events, expected) << "cut at " << first << " and " << second;
            ASSERT_EQ(parser.last_event_id(), "8");
            ASSERT_EQ(parser.retry(), 5ms);
        }
    }
}

TEST(SseParser, EndsWithAnErrorAtAnEventOverTheLimit) {
    std::string fits = "data: " + std::string(14, 'x') + "\n\n";
    for (std::string too_large :
         {"data: " + std::string(15, 'x') + "\n", std::string("data: 12345\ndata: 6789012345\n"),
          ":" + std::string(30, 'x')}) {
        for (std::size_t step : {1u, 2u, 1000u}) {
            SseParser parser(20);
            std::vector<SseEvent> events;
            Result<void> fed = ok();
            std::string text = fits + too_large;
            for (std::size_t at = 0; at < text.size(); at += step)
                fed = parser.feed(text.substr(at, step), events);
            EXPECT_EQ(fed.error().code, ErrorCode::ResourceExhausted);
            EXPECT_THAT(events, ElementsAre(message(std::string(14, 'x'))));
            EXPECT_FALSE(parser.feed("data: a\n\n", events));
        }
    }
}

TEST(SseParser, TakesALongStreamOfShortLinesInOnePiece) {
    std::vector<SseEvent> events;
    SseParser parser;
    EXPECT_TRUE(parser.feed(std::string(500'000, '\r'), events));
    EXPECT_THAT(events, IsEmpty());
}

}  // namespace
