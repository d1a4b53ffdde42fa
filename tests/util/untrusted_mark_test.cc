#include "util/untrusted_mark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(UntrustedMark, StandsAroundATextOnLinesOfItsOwn) {
    UntrustedMark mark;
    for (const char* text : {"words", "words\n"}) {
        std::string marked = mark.around(text);
        std::string line = marked.substr(marked.rfind('\n') + 1);
        EXPECT_THAT(line, StartsWith("untrusted-"));
        EXPECT_THAT(marked, HasSubstr("\n" + line + "\nwords\n" + line));
    }
}

TEST(UntrustedMark, StandsBeforeEveryLineOfALog) {
    UntrustedMark mark;
    std::string line = mark.before("a\n");
    std::string word = line.substr(0, line.find(' '));

    EXPECT_EQ(mark.before("a\nb\n"), word + " a\n" + word + " b\n");
    EXPECT_EQ(mark.before("a\n\nb"), word + " a\n" + word + " \n" + word + " b");
    EXPECT_EQ(mark.before(""), "");
    EXPECT_THAT(mark.heading(), HasSubstr("\"" + word + "\""));
}

TEST(UntrustedMark, CannotBeKnownBeforehand) {
    EXPECT_NE(UntrustedMark().heading(), UntrustedMark().heading());
}

}  // namespace
