// The value of every option and its origin.
#pragma once

#include <chrono>
#include <concepts>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/table.h"
#include "util/json.h"

namespace config {

// Later layers win.
enum class Layer { Default, Dotenv, File, PlaywrightEnvironment, Environment, Flag };

struct Origin {
    Layer layer = Layer::Default;
    std::string name = {};  // the file, variable or flag
    int line = 0;           // in the file, where known
    std::string key = {};   // in the file, if not the option's own

    // "default", "file troupe.json", "env TROUPE_PORT", "flag --port".
    std::string to_string() const;
};

struct Assignment {
    const Option* option;
    json::value value;
    Origin origin;
};

struct Setting {
    std::optional<json::value> value;  // unset: no default and nothing given
    Origin origin;
};

class Values {
public:
    // Sets every option to its default.
    Values();

    // Lists and maps grow with each assignment of the same layer; other values are replaced.
    void apply(Assignment assignment);
    void unset(Key key);

    const Setting& at(Key key) const { return settings_[key.index()]; }
    bool has(Key key) const { return at(key).value.has_value(); }
    bool given(Key key) const { return has(key) && at(key).origin.layer != Layer::Default; }
    // Finds a value by a key known only at run time; null when it is unset or no such option exists.
    const json::value* find(std::string_view key) const;

    // Returns the value as its C++ type: T{} when unset, nothing for a std::optional.
    template <class T>
    T get(Key key) const;
    // Returns the choice as an enumerator, by its position in the option's choices; the first when unset.
    template <class E>
    E choice(Key key) const {
        return static_cast<E>(choice_index(key));
    }

private:
    std::size_t choice_index(Key key) const;

    std::vector<Setting> settings_;
};

void read(const json::value& from, bool& to);
void read(const json::value& from, double& to);
void read(const json::value& from, milliseconds& to);
void read(const json::value& from, std::string& to);
void read(const json::value& from, std::filesystem::path& to);
void read(const json::value& from, std::vector<std::string>& to);
void read(const json::value& from, std::vector<std::filesystem::path>& to);
void read(const json::value& from, Strings& to);
void read(const json::value& from, Size& to);
void read(const json::value& from, json::value& to);
void read(const json::value& from, json::object& to);
template <std::integral T>
void read(const json::value& from, T& to) {
    to = static_cast<T>(json::as_integer(from).value_or(0));
}
template <class T>
void read(const json::value& from, std::optional<T>& to) {
    if (!from.is_null()) read(from, to.emplace());
}

template <class T>
T Values::get(Key key) const {
    T result{};
    if (const Setting& setting = at(key); setting.value) read(*setting.value, result);
    return result;
}

}  // namespace config
