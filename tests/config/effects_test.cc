// No option is accepted and then forgotten: each is read where the program is put together, decides about
// other options, or is warned of when it is given.
#include <map>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/shorthands.h"
#include "tests/config/loading.h"
#include "util/files.h"
#include "util/strings.h"

namespace config {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

const std::filesystem::path kSource = std::filesystem::path(TROUPE_SOURCE_DIR) / "src";

// Some value that the option takes and that is not its default.
json::value other_value(const Option& option) {
    switch (option.type) {
        case Type::Bool:
            return option.default_value != "true";
        case Type::Integer:
        case Type::Number:
        case Type::Duration:
            return std::max<std::int64_t>(option.min, 7);
        case Type::String:
        case Type::Path:
            return "something";
        case Type::Choice:
            for (const std::string& choice : choices(option)) {
                if (choice != option.default_value) return json::value(choice);
            }
            return nullptr;
        case Type::List:
        case Type::Paths:
            return json::array{"something"};
        case Type::Size:
            return json::object{{"width", 640}, {"height", 480}};
        case Type::Map:
            return json::object{{"name", "value"}};
        case Type::Json:
            if (choices(option).front() == "array") return json::array{json::object{}};
            return json::object{};
        case Type::OpenSection:
            return json::object{{"fromTheFuture", 1}};
    }
    return nullptr;
}

json::object nested(std::string_view key, json::value value) {
    std::size_t dot = key.rfind('.');
    if (dot == std::string_view::npos) return json::object{{key, std::move(value)}};
    return nested(key.substr(0, dot), json::object{{key.substr(dot + 1), std::move(value)}});
}

// The fields of Config that build.cc fills, by the key they are filled from.
std::map<std::string, std::string> fields_by_key() {
    std::string text = read_file(kSource / "config/build.cc").value();
    std::map<std::string, std::string> fields;
    std::regex filled(R"re(\.(\w+) =\s*(?:[\w:]*\()*\s*values\s*\.\w+(?:<[^;()]*>)?\(\s*"([\w.]+)"\))re");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), filled); it != std::sregex_iterator(); ++it)
        fields[(*it)[2]] = (*it)[1];
    return fields;
}

// Where the program is put together: all that reads a Config.
std::string readers() {
    std::string text;
    for (const char* folder : {"", "daemon"}) {
        for (const auto& file : std::filesystem::directory_iterator(kSource / folder)) {
            if (file.path().extension() == ".cc") text += read_file(file.path()).value();
        }
    }
    return text;
}

TEST(EveryOption, IsReadOrWarnedOf) {
    // Filled by other ways, or they decide about other options.
    const std::map<std::string, std::string> kFields = {
        {"browser.device", "device"},
        {"browser.mobile", "device"},
        {"session.isolation", "isolation"},
        {"server.oauth.issuer", "issuer"},
        {"server.oauth.resource", "resource"},
        {"browser.contextOptions.javaScriptEnabled", "java_script_enabled"},
        {"browser.contextOptions.acceptDownloads", "accept_downloads"},
        {"browser.contextOptions.proxy", "proxy"},
        {"browser.contextOptions.recordVideo", "record_video"},
        {"browser.contextOptions.recordHar", "record_har"},
        {"security.rules", "rules"},
        {"security.secretOrigins", "secret_origins"},
        {"upstream.command", "command"},
    };
    const std::set<std::string> kDecide = {"server.transport", "server.insecure", "logging.destination"};
    std::map<std::string, std::string> fields = fields_by_key();
    fields.insert(kFields.begin(), kFields.end());
    std::string program = readers();

    for (const Option& option : kOptions) {
        std::string key(option.key);
        if (key.empty()) {
            EXPECT_TRUE(option.expand != nullptr || option.flag == "config") << option.flag;
        } else if (!option.needs.empty() || option.type == Type::OpenSection) {
            std::vector<std::string> flags;
            if (option.needs == "--engine native") flags = {"--engine=upstream"};
            Loaded given = loaded(load_file(json::serialize(nested(key, other_value(option))), flags));
            EXPECT_THAT(given.warnings, Contains(HasSubstr(key)));
        } else if (!kDecide.contains(key)) {
            ASSERT_TRUE(fields.contains(key)) << key << " fills no field of Config";
            EXPECT_TRUE(std::regex_search(program, std::regex("[.>]" + fields[key] + "\\b")))
                << key << " is " << fields[key] << ", which nothing reads";
        }
    }
}

// What the program reads and then switches off for an engine is not read for it.
TEST(EveryOption, ThatTheUpstreamEngineSwitchesOffIsWarnedOf) {
    std::string program = read_file(kSource / "settings_upstream.cc").value();
    EXPECT_THAT(program, HasSubstr("session_param.tab_ids = options.session_param.tab_required = false"));
    for (const std::string flag : {"--tab-ids", "--require-tab-id", "--auto-assign-tab"}) {
        Loaded result = loaded(load_flags({"--engine=upstream", flag}));
        EXPECT_THAT(result.warnings,
                    Contains(AllOf(HasSubstr(flag), HasSubstr("no effect without --engine native"))));
        EXPECT_THAT(loaded(load_flags({flag})).warnings, testing::IsEmpty());
        // Sessions of the native engine have them.
        EXPECT_THAT(loaded(load_file(R"({"upstream": {"command": "server"}})", {flag})).warnings,
                    testing::IsEmpty());
    }
}

TEST(EveryOption, ThatStandsForOthersNamesSomeThatThereAre) {
    for (const Option& option : kOptions) {
        if (option.expand == nullptr || option.flag == "secrets") continue;
        auto settings = option.expand(other_value(option), "/");
        ASSERT_TRUE(settings) << option.flag;
        for (const KeyValue& setting : *settings) EXPECT_NE(find_by_key(setting.key), nullptr) << setting.key;
    }
}

TEST(EveryOption, IsFoundByEachOfItsOtherNames) {
    std::set<std::string> names;
    auto check = [&](std::string_view list, auto find, const Option& option) {
        for (const std::string& name : split(list, '|')) {
            if (name.empty()) continue;
            EXPECT_EQ(find(name), &option) << name;
            EXPECT_TRUE(names.insert(name).second) << name;
        }
    };
    for (const Option& option : kOptions) {
        check(option.other_keys, find_by_key, option);
        check(option.other_variables, find_by_variable, option);
        if (!option.last_variable.empty())
            EXPECT_EQ(find_by_variable(option.last_variable), &option) << option.last_variable;
    }
}

}  // namespace
}  // namespace config
