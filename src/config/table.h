// The single table of all options, and lookups in it. Everything else in this folder derives from it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/option.h"
#include "config/options_answers.h"
#include "config/options_browser.h"
#include "config/options_oauth.h"
#include "config/options_pages.h"
#include "config/options_pool.h"
#include "config/options_record.h"
#include "config/options_security.h"
#include "config/options_server.h"
#include "config/options_sessions.h"
#include "config/options_upstream.h"

namespace config {

struct Group {
    std::string_view title;
    Source source;
    std::span<const Option> options;
};

inline constexpr Group kGroups[] = {
    {"General", Source::Playwright, kGeneralOptions},
    {"Server", Source::Playwright, kPlaywrightServerOptions},
    {"Server", Source::Troupe, kServerOptions},
    {"Server", Source::Troupe, kOAuthOptions},
    {"Sessions", Source::Troupe, kSessionOptions},
    {"Record", Source::Troupe, kRecordOptions},
    {"Pool", Source::Troupe, kPoolOptions},
    {"Logging", Source::Troupe, kLoggingOptions},
    {"Browser", Source::Playwright, kBrowserOptions},
    {"Pages", Source::Playwright, kPageOptions},
    {"Tools and answers", Source::Playwright, kToolOptions},
    {"Tools and answers", Source::Troupe, kCodeOptions},
    {"Timeouts", Source::Playwright, kTimeoutOptions},
    {"Access", Source::Playwright, kAccessOptions},
    {"Access", Source::Troupe, kSecurityOptions},
    {"Engine", Source::Troupe, kUpstreamOptions},
};

consteval std::size_t count_options() {
    std::size_t count = 0;
    for (const Group& group : kGroups) count += group.options.size();
    return count;
}
inline constexpr std::size_t kOptionCount = count_options();

consteval std::array<Option, kOptionCount> all_options() {
    std::array<Option, kOptionCount> all{};
    std::size_t at = 0;
    for (const Group& group : kGroups) {
        for (Option option : group.options) {
            option.group = group.title;
            option.source = group.source;
            all[at++] = option;
        }
    }
    return all;
}
inline constexpr std::array<Option, kOptionCount> kOptions = all_options();

// The key of an option; a key that is not in the table does not compile.
class Key {
public:
    consteval Key(const char* key) : index_(find(key)) {}
    constexpr explicit Key(std::size_t index) : index_(index) {}

    constexpr std::size_t index() const { return index_; }
    constexpr const Option& option() const { return kOptions[index_]; }

private:
    static consteval std::size_t find(std::string_view key) {
        for (std::size_t i = 0; i < kOptionCount; ++i) {
            if (kOptions[i].key == key && !key.empty()) return i;
        }
        throw "no option has this key";
    }

    std::size_t index_;
};

// These return null when there is no such option. `option` must be an element of kOptions.
const Option* find_by_key(std::string_view key);
const Option* find_by_flag(std::string_view flag);
// Finds the option of a full variable name: TROUPE_PORT, PLAYWRIGHT_MCP_PORT, SERVER_PORT.
const Option* find_by_variable(std::string_view name);
Key key_of(const Option& option);

bool may_come_from_dotenv(const Option& option);

// Whether some option's key begins with "<path>.".
bool is_section(std::string_view path);
// The names of the variables an option is read from, in order of precedence.
std::vector<std::string> variables(const Option& option);
std::vector<std::string> choices(const Option& option);
// "minBrowsers" -> "MIN_BROWSERS", "user-data-dir" -> "USER_DATA_DIR".
std::string variable_case(std::string_view name);

bool takes_value(const Option& option);
bool takes_several(const Option& option);

// The key, flag or variable most similar to the typed one, empty when none is.
std::string nearest_key(std::string_view typed);
std::string nearest_flag(std::string_view typed);
std::string nearest_variable(std::string_view typed);

}  // namespace config
