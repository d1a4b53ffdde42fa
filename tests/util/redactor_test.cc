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

TEST(Redactor, FindsAValueThatWasEncodedBeforeItBecameBase64) {
    Redactor upper_case = redactor("P@SS \"W\" & 1");
    std::string escaped =
        percent("P@SS \"W\" & 1", [](char c) { return std::string_view("@ \"&").contains(c); });
    for (const std::string around : {"", "{", "{\"", "{\"value\":\""}) {
        std::string json = base64_encode(around + json_text(kValue) + "\"}");
        EXPECT_NE(redactor().redact(json).find(kMark), std::string::npos) << around;
        std::string address = base64_encode(around + escaped + "&r=1");
        EXPECT_NE(upper_case.redact(address).find(kMark), std::string::npos) << around;
    }
}

TEST(Redactor, FindsAValueAsPagesShowIt) {
    Redactor spaced = redactor("  Tr0ub4dor&3  \"horse\"\n battery ");
    EXPECT_EQ(spaced.redact("- text: Tr0ub4dor&3 \"horse\" battery."), "- text: " + std::string(kMark) + ".");
    EXPECT_EQ(redactor("first line\nsecond").redact("<p>first line\xE2\x86\xB5second</p>"),
              "<p>" + std::string(kMark) + "</p>");
    EXPECT_EQ(redactor("soft\xC2\xADhyphen").redact("softhyphen"), kMark);

    for (const char* way : {"XK9VQ2ML", "xk9vq2ml", "Xk9vq2ml"})
        EXPECT_EQ(redactor("Xk9vQ2mL").redact(way), kMark);
    EXPECT_EQ(redactor("hunt3r").redact("HUNT3R"), kMark);
    EXPECT_EQ(redactor("p\xC3\xB6nyh\xC3\xB6"
                       "f1")
                  .redact("P\xC3\x96NYH\xC3\x96"
                          "F1"),
              kMark);
    // A word may be something else.
    EXPECT_EQ(redactor("hunter").redact("Hunter"), "Hunter");
}

TEST(Redactor, FindsTheRestOfAValueInATextThatWasShortened) {
    const std::string mark(kMark);
    Redactor one = redactor("Xk9vQ2mLz7Rt4Wp8");
    EXPECT_EQ(one.redact("aaaXk9vQ2mLz7\xE2\x80\xA6</b>"), "aaa" + mark + "\xE2\x80\xA6</b>");
    EXPECT_EQ(one.redact("aaaXk9vQ2mLz7... (9 more bytes)"), "aaa" + mark + "... (9 more bytes)");
    EXPECT_EQ(one.redact("aaa\xE2\x80\xA6Q2mLz7Rt4Wp8 b"), "aaa" + mark + " b");
    EXPECT_EQ(one.redact("Xk9\xE2\x80\xA6 Xk9vQ2 \xE2\x80\xA6t4Wp8"),
              "Xk9\xE2\x80\xA6 Xk9vQ2 \xE2\x80\xA6t4Wp8");
    EXPECT_EQ(redactor("Xk9v \"Q2mL\"").redact("{\"a\":\"Xk9v \\\\\xE2\x80\xA6"),
              "{\"a\":\"" + mark + "\xE2\x80\xA6");
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

TEST(Redactor, LeavesJsonTextWellFormed) {
    using Numbers = Redactor::Numbers;
    Redactor pin(Values{{"PIN", "256"}, {"ODD", "a\\"}, {"WORD", "true"}});
    std::string text = R"({"maximum":256,"x256":[25612,-256,true,"say \"256\"","a\\"],"n":1e3} {"256":null})";
    EXPECT_EQ(
        pin.redact_json(text, Numbers::Keep),
        R"({"maximum":256,"x<secret>PIN</secret>":[25612,-256,true,"say \"<secret>PIN</secret>\"","<secret>ODD</secret>"],"n":1e3} {"<secret>PIN</secret>":null})");
    EXPECT_EQ(pin.redact_json(R"([256, 2560, -256])", Numbers::Hide),
              R"(["<secret>PIN</secret>", 2560, "-<secret>PIN</secret>"])");
    EXPECT_EQ(pin.redact_json(R"([256, "256"])", Numbers::Hide, "***"), R"(["***", "***"])");
    // Other text is redacted as a whole.
    for (const char* other : {"256 is \"not\" JSON", "[\"256", "x\"256\""})
        EXPECT_EQ(pin.redact_json(other, Numbers::Keep), pin.redact(other)) << other;
    EXPECT_EQ(pin.redact_json("[1]", Numbers::Hide), "[1]");

    Redactor hiding;
    hiding.hide_parameters({"code"});
    EXPECT_EQ(hiding.redact_json(R"({"url":"/?code=a\"b"})", Numbers::Keep),
              R"({"url":"/?code=<redacted>\"b"})");
}

TEST(Redactor, RedactsBytesOfAnyFormat) {
    using namespace std::string_literals;
    Redactor both(Values{{"PIN", "256"}, {"PASSWORD", "Xk9vQ2mLz7"}});
    EXPECT_EQ(both.redact_bytes("\0 256 Xk9vQ2mLz7"s), "\0 <secret>PIN</secret> <secret>PASSWORD</secret>"s);
    // Data that is no text keeps its size.
    EXPECT_EQ(both.redact_bytes("\x89PNG\0 256 Xk9vQ2mLz7\xFF"s), "\x89PNG\0 256 **********\xFF"s);
    std::string wide;
    for (char c : "a Xk9vQ2mLz7."s) wide += {c, '\0'};
    EXPECT_FALSE(both.redact_bytes(wide).contains("9\0v"s));
    EXPECT_EQ(Redactor().redact_bytes("\x89\0"s), "\x89\0"s);
}

TEST(Redactor, HidesParametersOfAddresses) {
    Redactor hiding;
    EXPECT_TRUE(hiding.empty());
    hiding.hide_parameters({"code", "access_token"});
    EXPECT_EQ(hiding.redact("- /url: https://a.example/?code=x%20y&state=z#access_token=t&more=1\n"),
              "- /url: https://a.example/?code=<redacted>&state=z#access_token=<redacted>&more=1\n");
    EXPECT_EQ(hiding.redact("[link](/?code=a) \"/?code=b\" code=c ?barcode=d /?code="),
              "[link](/?code=<redacted>) \"/?code=<redacted>\" code=c ?barcode=d /?code=");
    std::string once = hiding.redact("/?code=a");
    EXPECT_EQ(hiding.redact(once), once);
    EXPECT_EQ(json::serialize(hiding.redact_all(json::parse(R"({"url": "/?code=a"})").value())),
              R"({"url":"/?code=<redacted>"})");
}

TEST(Redactor, EndsSoonWhateverThePageWrites) {
    Redactor backslashes(Values{{"A", std::string(20, '\\') + "z"}, {"B", "%%%%%%%%%%%%y"}});
    std::string text(2'000, '\\');
    EXPECT_EQ(backslashes.redact(text), text);
    std::string percents(2'000, '%');
    EXPECT_EQ(backslashes.redact(percents), percents);
    std::string ellipses;
    for (int i = 0; i < 20'000; ++i) ellipses += "\xE2\x80\xA6\\";
    EXPECT_EQ(backslashes.redact(ellipses), ellipses);
    std::string literals(200'000, '"');
    EXPECT_EQ(backslashes.redact_json(literals, Redactor::Numbers::Hide), literals);
}
