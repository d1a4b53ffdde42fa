#include "util/redactor.h"

#include <gtest/gtest.h>

#include "util/strings.h"

namespace {

using Values = std::map<std::string, std::string>;
const std::string kValue = "p@ss \"w\" & \xC3\xB6's\\x/1";
constexpr std::string_view kMark = "<secret>PASSWORD</secret>";

Redactor redactor(std::string value = kValue) { return Redactor(Values{{"PASSWORD", std::move(value)}}); }

std::string percent(std::string_view text, auto&& encodes) {
    std::string encoded;
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (char c : text) {
        auto byte = static_cast<unsigned char>(c);
        if (encodes(c))
            encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
        else
            encoded += c;
    }
    return encoded;
}

std::string json_text(std::string_view text) {
    std::string json = json::serialize(json::value(text));
    return json.substr(1, json.size() - 2);
}

}  // namespace

TEST(Redactor, FindsAValueHoweverItIsWritten) {
    auto all = [](char) { return true; };
    auto none_plain = [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); };
    auto only_quotes = [](char c) { return c == '"' || c == ' '; };
    std::string twice = percent(percent(kValue, none_plain), [](char c) { return c == '%'; });
    std::string form = percent(kValue, [](char c) { return c == '@' || c == '"' || c == '&' || c == '\\'; });
    std::ranges::replace(form, ' ', '+');
    for (const std::string& way :
         {kValue, percent(kValue, all), percent(kValue, none_plain), percent(kValue, only_quotes), twice,
          form, json_text(kValue), json_text(json_text(kValue)), json_text(json_text(json_text(kValue))),
          json_text(percent(kValue, only_quotes)),
          std::string("p@ss \\\"w\\\" \\u0026 \\u00f6\\u0027s\\\\x\\/1"),           // cautious JSON
          std::string("p@ss \\\\\\\"w\\\\\\\" & \\\\u00F6's\\\\\\\\x\\\\/1"),       // within JSON
          std::string("p@ss \"w\" & \xC3\xB6''s\\x/1"),                             // YAML, single quotes
          std::string("p@ss \\\"w\\\" & \\xf6's\\\\x/1"),                           // YAML, double quotes
          std::string("p@ss &quot;w&quot; &amp; &#246;&#x27;s\\x/1"),               // HTML
          std::string("p@ss &amp;quot;w&amp;quot; &amp;amp; \xC3\xB6&#39;s\\x/1"),  // HTML within HTML
          std::string("p@ss _w_ & \xC3\xB6's_x_1")}) {                              // a file's name
        EXPECT_EQ(redactor().redact("a" + way + "b"), "a" + std::string(kMark) + "b") << way;
    }
}

TEST(Redactor, FindsAValueWithinBase64AndHexadecimalDigits) {
    for (const std::string around : {"", "u", "us", "usr", "user:"}) {
        for (const std::string behind : {"", "1", "12", "123"}) {
            std::string encoded = base64_encode(around + kValue + behind);
            EXPECT_NE(redactor().redact(encoded).find(kMark), std::string::npos) << around << "|" << behind;
            std::ranges::replace(encoded, '/', '_');
            std::ranges::replace(encoded, '+', '-');
            EXPECT_NE(redactor().redact(encoded).find(kMark), std::string::npos) << around << "|" << behind;
        }
    }
    EXPECT_EQ(redactor("Hunter2!")
                  .redact("48756e74657232"
                          "21"),
              kMark);
    EXPECT_EQ(redactor("Hunter2!").redact("http://hunter2%21.test"),
              "http://" + std::string(kMark) + ".test");
}

TEST(Redactor, LeavesNothingOfValuesThatOverlap) {
    Redactor both(Values{{"A", "abc"}, {"B", "bcdef"}, {"C", "abcd"}});
    EXPECT_EQ(both.redact("xabcdefx"), "x<secret>C</secret><secret>B</secret>x");
    EXPECT_EQ(both.redact("abcabc"), "<secret>A</secret><secret>A</secret>");
}

TEST(Redactor, LeavesOtherTextAlone) {
    std::string text = R"({"a": "p@s \\ %41 & &amp; \u0041 + - _", "b": [1, 2]})";
    EXPECT_EQ(redactor().redact(text), text);
    EXPECT_EQ(Redactor().redact(kValue), kValue);
    EXPECT_EQ(Redactor(Values{{"EMPTY", ""}}).redact(kValue), kValue);
    // Short values are not looked for as base64.
    EXPECT_EQ(redactor("abc").redact(base64_encode("abc")), base64_encode("abc"));
}

TEST(Redactor, RedactsTextsKeysAndNumbersOfJson) {
    Redactor pin(Values{{"PIN", "123456"}});
    EXPECT_EQ(json::serialize(pin.redact_all(json::parse(R"({"123456": [123456, 7, "a123456"]})").value())),
              R"({"<secret>PIN</secret>":["<secret>PIN</secret>",7,"a<secret>PIN</secret>"]})");
}

TEST(Redactor, EndsSoonWhateverThePageWrites) {
    Redactor backslashes(Values{{"A", std::string(20, '\\') + "z"}, {"B", "%%%%%%%%%%%%y"}});
    std::string text(2'000, '\\');
    EXPECT_EQ(backslashes.redact(text), text);
    std::string percents(2'000, '%');
    EXPECT_EQ(backslashes.redact(percents), percents);
}
