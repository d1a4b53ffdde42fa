#include "doctor/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using doctor::Check;
using doctor::Color;
using doctor::exit_status;
using doctor::render;
using testing::HasSubstr;
using testing::Not;

namespace {

using Outcome = Check::Outcome;

TEST(DoctorReport, AlignsFindingsAndPutsRemediesBelowThem) {
    std::string report = render(
        {
            {Outcome::Ok, "port", "127.0.0.1:8931 is free"},
            {Outcome::Failed, "browser starts", "It ended with exit status 1.", "Try it by hand.",
             "line 1\nline 2"},
            {Outcome::Warning, "sandbox", "Running as root.", "Run as an ordinary user."},
            {Outcome::Note, "node", "Not installed.", "apt-get install nodejs"},
        },
        Color::No);

    EXPECT_EQ(report,
              "✓ port            127.0.0.1:8931 is free\n"
              "✗ browser starts  It ended with exit status 1.\n"
              "                  → Try it by hand.\n"
              "                  | line 1\n"
              "                  | line 2\n"
              "! sandbox         Running as root.\n"
              "                  → Run as an ordinary user.\n"
              "· node            Not installed.\n"
              "                  → apt-get install nodejs\n"
              "\n"
              "4 checks, 1 warning, 1 failed\n");
}

TEST(DoctorReport, UsesColorOnlyWhenAsked) {
    std::vector<Check> checks = {{Outcome::Ok, "port", "free"}};

    EXPECT_THAT(render(checks, Color::Yes), HasSubstr("\033[32m✓\033[0m port"));
    EXPECT_THAT(render(checks, Color::No), Not(HasSubstr("\033")));
}

TEST(DoctorReport, CountsInProperEnglish) {
    EXPECT_THAT(render({{Outcome::Ok, "port", "free"}}, Color::No),
                HasSubstr("\n1 check, 0 warnings, 0 failed\n"));
}

TEST(DoctorReport, EndsWithOneOnlyWhenACheckFailed) {
    EXPECT_EQ(exit_status({{Outcome::Ok, "a", ""}, {Outcome::Warning, "b", ""}, {Outcome::Note, "c", ""}}),
              0);
    EXPECT_EQ(exit_status({{Outcome::Ok, "a", ""}, {Outcome::Failed, "b", ""}}), 1);
}

}  // namespace
