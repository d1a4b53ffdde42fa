// What every message of ours must be, whatever it answers.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "mcp/message.h"
#include "tests/fuzz/input.h"
#include "util/strings.h"

namespace fuzz {

// Keeps count of the answers that one client may get: one for each message it sent with an id, and one
// without an id for each thing that it sent without one.
class Ledger {
public:
    void sent(std::string_view text) {
        ++nameless_;  // for what cannot be read, and for a batch as a whole
        if (auto body = json::parse(text)) sent(*body);
    }

    // Checks a text on its way to the client.
    void received(const std::string& text) {
        require(is_valid_utf8(text), "a message is UTF-8", text);
        require(text.find_first_of("\r\n") == std::string::npos, "a message is one line", text);
        auto body = json::parse(text);
        require(body.has_value(), "a message is JSON", text);
        const auto* batch = body->if_array();
        if (!batch) return received_one(*body, text);
        require(!batch->empty(), "a batch is not empty", text);
        for (const json::value& each : *batch) received_one(each, text);
    }

    // How many answers came for this id.
    int answers(const std::string& id) const {
        auto it = answered_.find(id);
        return it == answered_.end() ? 0 : it->second;
    }

private:
    void sent(const json::value& body) {
        if (const auto* batch = body.if_array()) {
            for (const json::value& each : *batch) sent(each);
            return;
        }
        const json::value* value = json::find(body, "id");
        auto id = value ? mcp::parse_request_id(*value) : std::nullopt;
        if (id) {
            ++owed_[mcp::to_json(*id)];
        } else {
            ++nameless_;
        }
    }

    void received_one(const json::value& message, const std::string& text) {
        require(message.is_object(), "a message is an object", text);
        const json::object& members = message.get_object();
        require(json::find_string(members, "jsonrpc") == "2.0", "a message says that it is JSON-RPC", text);
        if (members.contains("method")) return;  // a notification, or a request of ours
        require(members.contains("result") != members.contains("error"), "an answer has a result or an error",
                text);
        const json::value* value = members.if_contains("id");
        require(value != nullptr, "an answer has an id", text);
        if (value->is_null()) {
            require(nameless_-- > 0, "no more errors without an id than messages that deserve one", text);
            return;
        }
        auto id = mcp::parse_request_id(*value);
        require(id.has_value(), "an answer's id is one that a client may send", text);
        std::string name = mcp::to_json(*id);
        require(++answered_[name] <= owed_[name], "at most one answer for each request", text);
    }

    int nameless_ = 0;
    std::map<std::string, int> owed_;
    std::map<std::string, int> answered_;
};

}  // namespace fuzz
