#include "session/failure.h"

#include <gtest/gtest.h>

namespace {

using session::in_playwright_words;
using session::to_text;
using std::chrono::milliseconds;

TEST(Failure, OfALateActionNamesTheLimitAndTheReason) {
    Error error = in_playwright_words({.code = ErrorCode::Timeout, .message = "element is not enabled"},
                                      {.name = "locator.click", .limit = milliseconds(1234)});

    EXPECT_EQ(to_text(error),
              "TimeoutError: locator.click: Timeout 1234ms exceeded.\nCall log:\n  - element is not enabled");
}

TEST(Failure, ThatTheEngineWordedAlreadyGetsTheLimitThatWasSet) {
    Error error = in_playwright_words(
        {.code = ErrorCode::Timeout,
         .message = "locator.click: Timeout 1200ms exceeded.\nCall log:\n  - waiting\n    - deeper\n"},
        {.name = "locator.click", .limit = milliseconds(1234)});

    EXPECT_EQ(error.message, "locator.click: Timeout 1234ms exceeded.\nCall log:\n  - waiting\n    - deeper");

    error = in_playwright_words(
        {.code = ErrorCode::ElementNotInteractive, .message = "locator.fill: not editable"},
        {.name = "locator.fill"});
    EXPECT_EQ(error.message, "locator.fill: not editable");
}

TEST(Failure, NamesTheCauseInItsFirstLineAndCountsWhatWasDoneAgain) {
    Error error = in_playwright_words(
        {.code = ErrorCode::Timeout,
         .message =
             "locator.click: Timeout 1200ms exceeded. Cause: <b> covers it.\nCall log:\n  - looking\n  "
             "12 × waiting\n     - <b> covers it\n"},
        {.name = "locator.click", .limit = milliseconds(1234)});

    EXPECT_EQ(error.message,
              "locator.click: Timeout 1234ms exceeded. Cause: <b> covers it.\nCall log:\n  - looking\n  12 × "
              "waiting\n     - <b> covers it");
}

TEST(Failure, WithSeveralReasonsHasALineForEach) {
    Error error = in_playwright_words({.code = ErrorCode::Timeout, .message = "waiting for x\n  y\n"},
                                      {.name = "locator.click", .limit = milliseconds(1)});

    EXPECT_EQ(error.message, "locator.click: Timeout 1ms exceeded.\nCall log:\n  - waiting for x\n  -   y");
}

TEST(Failure, SaysWhatWasGoingOn) {
    Error error = in_playwright_words(
        {.code = ErrorCode::NavigationFailed, .message = "net::ERR_NAME_NOT_RESOLVED at http://x/"},
        {.name = "page.goto", .log = "navigating to \"http://x/\""});

    EXPECT_EQ(to_text(error),
              "Error: page.goto: net::ERR_NAME_NOT_RESOLVED at http://x/\nCall log:\n  - navigating to "
              "\"http://x/\"");
}

TEST(Failure, KeepsTheHint) {
    EXPECT_EQ(to_text({.message = "It broke.", .hint = "Mend it."}), "Error: It broke.\nMend it.");
}

TEST(Failure, OfTheServerItselfStaysAsItIs) {
    EXPECT_EQ(
        in_playwright_words({.code = ErrorCode::InternalError, .message = "Internal error."}, {.name = "x"})
            .message,
        "Internal error.");
}

TEST(Failure, ThatIsAJavaScriptErrorIsNotNamedTwice) {
    EXPECT_EQ(to_text({.message = "TypeError: x is not a function"}), "TypeError: x is not a function");
    EXPECT_EQ(to_text({.message = "Error: x"}), "Error: x");
    EXPECT_EQ(to_text({.message = "the Error: x"}), "Error: the Error: x");
}

}  // namespace
