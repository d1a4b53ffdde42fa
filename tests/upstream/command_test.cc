#include "upstream/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using upstream::parse_command;
using upstream::split_command;

TEST(UpstreamCommand, IsSplitAsAShellWould) {
    EXPECT_THAT(*split_command("npx -y @playwright/mcp@latest"),
                ElementsAre("npx", "-y", "@playwright/mcp@latest"));
    EXPECT_THAT(*split_command("  a\t'b c'  \"d e\" f\\ g '' h\"i\"'j'\n"),
                ElementsAre("a", "b c", "d e", "f g", "", "hij"));
    EXPECT_THAT(*split_command(R"("a\"b\n" '\' $HOME)"), ElementsAre("a\"b\\n", "\\", "$HOME"));
}

TEST(UpstreamCommand, SaysWhatIsWrongWithALine) {
    EXPECT_THAT(split_command("a 'b").error().message, HasSubstr("a ' is never closed"));
    EXPECT_THAT(split_command("a \\").error().message, HasSubstr("nothing behind the last backslash"));
    EXPECT_THAT(split_command("  ").error().message, HasSubstr("it is empty"));
}

TEST(UpstreamCommand, MayBeAList) {
    EXPECT_THAT(*parse_command(json::array{"my server", "--x"}), ElementsAre("my server", "--x"));
    EXPECT_THAT(*parse_command(json::value("a b")), ElementsAre("a", "b"));
    EXPECT_THAT(parse_command(json::array{"a", 1}).error().message, HasSubstr("must be a string"));
    EXPECT_THAT(parse_command(json::array{}).error().message, HasSubstr("it is empty"));
}

}  // namespace
