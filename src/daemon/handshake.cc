#include "daemon/handshake.h"

#include <cstdlib>

#include "util/json.h"
#include "util/strings.h"

namespace daemons {
namespace {

constexpr std::string_view kHello = "troupeHello", kWelcome = "troupeWelcome";

std::string line_of(std::string_view name, json::object members) {
    return json::serialize(json::object{{name, std::move(members)}}) + "\n";
}

// The member `name` of a line that has no other member.
std::optional<json::object> members_of(std::string_view line, std::string_view name) {
    if (line.find(name) == std::string_view::npos) return std::nullopt;
    auto parsed = json::parse(line);
    if (!parsed || !parsed->is_object()) return std::nullopt;
    const json::object* members = json::find_object(parsed->get_object(), name);
    return members ? std::optional(*members) : std::nullopt;
}

// Compares number by number: 0.9.1 is older than 0.10.
bool is_older(std::string_view version, std::string_view than) {
    auto left = split(version, '.'), right = split(than, '.');
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
        long a = i < left.size() ? std::strtol(left[i].c_str(), nullptr, 10) : 0;
        long b = i < right.size() ? std::strtol(right[i].c_str(), nullptr, 10) : 0;
        if (a != b) return a < b;
    }
    return false;
}

}  // namespace

std::string to_line(const Hello& hello) {
    return line_of(kHello, {{"link", hello.link},
                            {"version", hello.version},
                            {"directory", hello.directory.string()},
                            {"generation", hello.generation},
                            {"agent", hello.agent},
                            {"hadSession", hello.had_session},
                            {"retire", hello.retire}});
}

std::string to_line(const Welcome& welcome) {
    return line_of(kWelcome, {{"link", welcome.link},
                              {"version", welcome.version},
                              {"clients", welcome.clients},
                              {"retired", welcome.retired}});
}

std::optional<Hello> read_hello(std::string_view line) {
    auto members = members_of(line, kHello);
    if (!members) return std::nullopt;
    return Hello{.link = static_cast<int>(json::find_integer(*members, "link").value_or(0)),
                 .version = std::string(json::find_string(*members, "version").value_or("")),
                 .directory = std::string(json::find_string(*members, "directory").value_or("")),
                 .generation = json::find_integer(*members, "generation").value_or(0),
                 .agent = std::string(json::find_string(*members, "agent").value_or("")),
                 .had_session = json::find_bool(*members, "hadSession").value_or(false),
                 .retire = std::string(json::find_string(*members, "retire").value_or(""))};
}

std::optional<Welcome> read_welcome(std::string_view line) {
    auto members = members_of(line, kWelcome);
    if (!members) return std::nullopt;
    return Welcome{.link = static_cast<int>(json::find_integer(*members, "link").value_or(0)),
                   .version = std::string(json::find_string(*members, "version").value_or("")),
                   .clients = json::find_integer(*members, "clients").value_or(0),
                   .retired = json::find_bool(*members, "retired").value_or(false)};
}

Verdict judge(const Welcome& daemon, std::string_view our_version) {
    bool understood = daemon.link == kLinkVersion;
    bool outdated = is_older(daemon.version, our_version) || !understood;
    if (outdated && daemon.clients == 0) return Verdict::Replace;
    return understood ? Verdict::Use : Verdict::Refuse;
}

}  // namespace daemons
