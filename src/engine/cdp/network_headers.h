// Headers of requests and answers, which CDP reports in two places.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/types.h"
#include "util/json.h"

namespace cdp {

using Headers = std::vector<std::pair<std::string, std::string>>;

// Names in lower case, in the given order; each Set-Cookie line is a header of its own.
Headers headers_of(const json::object& headers);
// Headers actually sent replace the announced ones; the announced order stays.
void merge_headers(Headers& announced, const Headers& real);

// Adds the actual headers to their entries. They arrive as separate events, before or after the others but in
// the same order, and all hops of a redirect share one request id.
class ExtraHeaders {
public:
    using Entries = std::vector<engine::RequestEntry>;

    void take_sent(Entries& entries, const json::object& params);
    void take_received(Entries& entries, const json::object& params);
    // Call when the entry's answer arrived and actual headers are expected for it.
    void expect(Entries& entries, const std::string& id, std::size_t entry);
    // Call when the entries are removed.
    void clear() { hops_.clear(); }

private:
    // The n-th elements of each list belong together.
    struct Hops {
        std::vector<std::size_t> entries;
        std::vector<Headers> sent;
        std::vector<Headers> received;
    };
    Hops& hops(const std::string& id);
    static void align(Entries& entries, Hops& hops);

    std::map<std::string, Hops> hops_;
};

}  // namespace cdp
