#include "util/error_codes.h"

#include <set>

#include <gtest/gtest.h>

namespace {

TEST(ErrorCodes, HaveEachANameAndASuggestion) {
    std::set<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(ErrorCode::InternalError); ++i) {
        auto code = static_cast<ErrorCode>(i);
        const ErrorCodeInfo& info = about(code);
        EXPECT_EQ(info.code, code);
        EXPECT_TRUE(names.insert(info.name).second) << info.name;
        EXPECT_TRUE(info.meaning.ends_with('.') && info.suggestion.ends_with('.')) << info.name;
        EXPECT_EQ(to_string(code), info.name);
    }
    EXPECT_EQ(error_codes().size(), names.size());
}

TEST(ErrorCodes, SayWhatMaySucceedLater) {
    EXPECT_TRUE(Error{.code = ErrorCode::Timeout}.retryable());
    EXPECT_TRUE(Error{.code = ErrorCode::BrowserCrashed}.retryable());
    EXPECT_FALSE(Error{.code = ErrorCode::InvalidSelector}.retryable());
    EXPECT_FALSE(Error{.code = ErrorCode::PolicyDenied}.retryable());
}

}  // namespace
