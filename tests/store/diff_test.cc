#include "store/diff.h"

#include <chrono>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using store::Change;
using store::diff_lines;
using store::Lines;
using store::render_delta;
using store::render_diff;
using store::render_outline;
using store::split_lines;
using testing::HasSubstr;
using testing::Not;

// What a reader of the changes would make of the old text.
Lines apply(const Lines& before, const Lines& after, const std::vector<Change>& changes) {
    Lines result;
    std::size_t at = 0;
    for (const Change& change : changes) {
        while (at < change.old_at) result.push_back(before[at++]);
        at += change.old_count;
        for (std::size_t i = 0; i < change.new_count; ++i) result.push_back(after[change.new_at + i]);
    }
    while (at < before.size()) result.push_back(before[at++]);
    return result;
}

std::size_t size(const std::vector<Change>& changes) {
    std::size_t lines = 0;
    for (const Change& change : changes) lines += change.old_count + change.new_count;
    return lines;
}

// The fewest lines that have to go and come, the slow way.
std::size_t fewest_edits(const Lines& a, const Lines& b) {
    std::vector<std::vector<std::size_t>> common(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j)
            common[i + 1][j + 1] =
                a[i] == b[j] ? common[i][j] + 1 : std::max(common[i][j + 1], common[i + 1][j]);
    }
    return a.size() + b.size() - 2 * common[a.size()][b.size()];
}

std::string large_page(int lines) {
    std::string text = "- main [ref=e1]:\n  - list \"Orders\" [ref=e2]:\n";
    for (int i = 0; i < lines; ++i) {
        std::string n = std::to_string(i);
        text += "    - listitem [ref=e" + std::to_string(i + 3) + "]: Order number " + n +
                " of a long list of orders\n";
    }
    return text;
}

constexpr std::string_view kForm = R"(- heading "Sign up" [level=1] [ref=e1]
- form "Account" [ref=e2]:
  - textbox "Name" [ref=e3]
  - textbox "Mail" [ref=e4]
  - list [ref=e5]:
    - listitem [ref=e6]: One
    - listitem [ref=e7]: Two
    - listitem [ref=e8]: Three
- button "Send" [ref=e9]
)";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string result(text);
    std::size_t at = result.find(from);
    EXPECT_NE(at, result.npos) << from;
    return result.replace(at, from.size(), to);
}

}  // namespace

TEST(Diff, OfEqualTextsIsEmpty) {
    EXPECT_EQ(render_diff(kForm, kForm), "");
    EXPECT_EQ(render_delta(kForm, kForm), "");
    EXPECT_EQ(render_diff("", ""), "");
}

TEST(Diff, ShowsAChangedLineUnderTheLinesItBelongsTo) {
    std::string after = replaced(kForm, "listitem [ref=e7]: Two", "listitem [ref=e7]: Deux");
    EXPECT_EQ(render_diff(kForm, after), R"( - form "Account" [ref=e2]:
   - list [ref=e5]:
-    - listitem [ref=e7]: Two
+    - listitem [ref=e7]: Deux
)");
}

TEST(Diff, ShowsALineThatOnlyGotAnotherRefOnce) {
    std::string after = replaced(kForm, "[ref=e9]", "[ref=e31]");
    EXPECT_EQ(render_diff(kForm, after), "~- button \"Send\" [ref=e31]\n");
}

TEST(Diff, AfterAReloadWithOtherRefsShowsEachLineOnce) {
    std::string after(kForm);
    for (std::size_t at = 0; (at = after.find("[ref=e", at)) != after.npos; at += 6)
        after.insert(at + 6, "9");
    std::string diff = render_diff(kForm, replaced(after, "Two", "Deux"));
    EXPECT_EQ(std::count(diff.begin(), diff.end(), '\n'), 10);
    EXPECT_THAT(diff, HasSubstr("-    - listitem [ref=e7]: Two\n+    - listitem [ref=e97]: Deux\n"));
    EXPECT_THAT(diff, HasSubstr("~- button \"Send\" [ref=e99]\n"));
}

TEST(Diff, TellsWhichOfManyEqualElementsWentByItsRef) {
    std::string before = "- list [ref=e1]:\n", after = before;
    for (int i = 2; i < 50; ++i) {
        std::string line = "  - listitem [ref=e" + std::to_string(i) + "]\n";
        before += line;
        if (i != 20) after += line;
    }
    EXPECT_EQ(render_diff(before, after), " - list [ref=e1]:\n-  - listitem [ref=e20]\n");
}

TEST(Diff, BeginsABlockWithTheElementThatCame) {
    std::string_view before = "- list:\n  - listitem:\n    - text: A\n  - listitem:\n    - text: A\n";
    std::string after = std::string(before) + "  - listitem:\n    - text: A\n";
    EXPECT_EQ(render_diff(before, after), " - list:\n+  - listitem:\n+    - text: A\n");
}

TEST(Diff, OfAMegabyteWithOneWordChangedIsShortAndQuick) {
    std::string before = large_page(20'000);
    ASSERT_GT(before.size(), 1'000'000u);
    std::string after = replaced(before, "number 9999 of", "number none of");
    auto begin = std::chrono::steady_clock::now();
    std::string diff = render_diff(before, after), delta = render_delta(before, after);
    auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(diff.size(), 1'000u);
    EXPECT_LT(delta.size(), 1'000u);
    EXPECT_THAT(diff,
                HasSubstr("+    - listitem [ref=e10002]: Order number none of a long list of orders\n"));
    // Milliseconds; generous for a busy machine.
    EXPECT_LT(took, std::chrono::milliseconds(500));
}

TEST(Diff, OfAMegabyteInOneLineIsShortToo) {
    std::string words = "- paragraph [ref=e1]: ";
    while (words.size() < 1'000'000) words += "word " + std::to_string(words.size()) + " ";
    std::string after = replaced(words, "word 500", "wörld 500");
    std::string diff = render_diff(words, after);
    EXPECT_LT(diff.size(), 1'000u);
    EXPECT_THAT(diff, HasSubstr("- paragraph [ref=e1]: word"));
    EXPECT_THAT(diff, HasSubstr("wörld 500"));
}

TEST(Diff, KeepsNewTextWhole) {
    std::string novel = "- paragraph: ";
    for (int i = 0; i < 500; ++i) novel += "chapter " + std::to_string(i) + " ";
    EXPECT_THAT(render_diff("- a\n", "- a\n" + novel + "\n"), HasSubstr(novel));
}

TEST(Diff, LeadsFromEveryRandomTextToTheOther) {
    std::mt19937 random(1);
    for (int round = 0; round < 2'000; ++round) {
        unsigned words = 1 + random() % 12;
        auto make = [&] {
            std::string text;
            for (unsigned i = random() % 30; i > 0; --i)
                text +=
                    std::string(2 * (random() % 3), ' ') + static_cast<char>('a' + random() % words) + "\n";
            return text;
        };
        std::string a = make(), b = make();
        Lines before = split_lines(a), after = split_lines(b);
        auto changes = diff_lines(before, after);
        ASSERT_EQ(apply(before, after, changes), after) << a << "---\n" << b;
        ASSERT_EQ(size(changes), fewest_edits(before, after)) << a << "---\n" << b;
        ASSERT_EQ(render_diff(a, b).empty(), a == b);
    }
}

TEST(Diff, OfHostileTextsEndsSoon) {
    // Few different lines in random order: the worst for a search for common ones.
    std::mt19937 random(2);
    std::string a, b;
    for (int i = 0; i < 100'000; ++i) {
        (a += static_cast<char>('a' + random() % 4)) += '\n';
        (b += static_cast<char>('a' + random() % 4)) += '\n';
    }
    Lines before = split_lines(a), after = split_lines(b);
    auto begin = std::chrono::steady_clock::now();
    auto changes = diff_lines(before, after);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
    EXPECT_EQ(apply(before, after, changes), after);
}

TEST(Delta, ShowsTheNewSnapshotWithUnchangedLinesCounted) {
    std::string after = replaced(kForm, "textbox \"Mail\" [ref=e4]", "textbox \"Mail\" [ref=e4]: a@b.c");
    EXPECT_EQ(render_delta(kForm, after), R"(# 1 line unchanged
- form "Account" [ref=e2]:
  # 1 line unchanged
  - textbox "Mail" [ref=e4]: a@b.c
  # 5 lines unchanged
)");
}

TEST(Delta, SaysWhatWent) {
    std::string after = replaced(kForm, "    - listitem [ref=e7]: Two\n", "");
    EXPECT_THAT(render_delta(kForm, after), HasSubstr("  - list [ref=e5]:\n    # 1 line unchanged\n"
                                                      "    # 1 line removed: - listitem [ref=e7]: Two\n"));
}

TEST(Outline, KeepsTheUpperLevelsThatFitAndCountsTheRest) {
    EXPECT_EQ(render_outline(kForm, 10'000), kForm);
    EXPECT_EQ(render_outline(kForm, 210), R"(- heading "Sign up" [level=1] [ref=e1]
- form "Account" [ref=e2]:
  - textbox "Name" [ref=e3]
  - textbox "Mail" [ref=e4]
  - list [ref=e5]: # 3 lines left out
- button "Send" [ref=e9]
)");
    EXPECT_THAT(render_outline(kForm, 130), HasSubstr("- form \"Account\" [ref=e2]: # 6 lines left out\n"));
}

TEST(Outline, ShowsTheFirstOfManyWhereOneLevelHasThemAll) {
    std::string page = "- main [ref=e1]:\n";
    for (int i = 0; i < 100; ++i) page += "  - link \"Item " + std::to_string(i) + "\":\n    - text: more\n";
    EXPECT_EQ(render_outline(page, 130), R"(- main [ref=e1]:
  - link "Item 0": # 1 line left out
  - link "Item 1": # 1 line left out
  # 196 lines left out
)");
    EXPECT_EQ(render_outline(page, 60), "- main [ref=e1]: # 200 lines left out\n");
}

TEST(Outline, NeverExceedsItsRoom) {
    std::string page = large_page(1'000);
    for (std::size_t room : {60u, 100u, 500u, 5'000u}) {
        std::string outline = render_outline(page, room);
        EXPECT_LE(outline.size(), room);
        EXPECT_THAT(outline, HasSubstr("left out"));
    }
}
