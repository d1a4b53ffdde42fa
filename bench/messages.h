// Messages as clients send them, for every benchmark that needs one.
#pragma once

#include <string_view>

namespace bench {

inline constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"bench","version":"1.0.0"}}})";

inline constexpr std::string_view kListTools = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";

inline constexpr std::string_view kCallTool =
    R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_click",)"
    R"("arguments":{"target":"e12","button":"left","doubleClick":false,"margin":8.5}}})";

// The same in the stateless revision.
inline constexpr std::string_view kCallToolModern =
    R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_click",)"
    R"("arguments":{"target":"e12","button":"left","doubleClick":false,"margin":8.5},)"
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{}}}})";

}  // namespace bench
