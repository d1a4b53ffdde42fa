// The headers of requests and answers, as DevTools tells of them in two places.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/types.h"
#include "util/json.h"

namespace cdp {

using Headers = std::vector<std::pair<std::string, std::string>>;

// Names in lower case, in the order given; each Set-Cookie line is a header of its own.
Headers headers_of(const json::object& headers);
// What really went over the wire wins over what was announced; the announced order stays.
void merge_headers(Headers& announced, const Headers& real);

// Brings the real headers to the entries they belong to. They come as events of their own, before or after
// the others but in the same order, and all hops of a redirect share one request id.
class ExtraHeaders {
public:
    using Entries = std::vector<engine::RequestEntry>;

    void take_sent(Entries& entries, const json::object& params);
    void take_received(Entries& entries, const json::object& params);
    // The entry's answer came, and real headers belong to it.
    void expect(Entries& entries, const std::string& id, std::size_t entry);
    // The entries are no more.
    void clear() { hops_.clear(); }

private:
    // The n-th of each belong together.
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
