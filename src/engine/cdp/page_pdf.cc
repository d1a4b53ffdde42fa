#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"
#include "util/strings.h"

namespace cdp {
namespace {

// Reads in chunks: a long document would not fit into one message.
Task<std::string> read_stream(std::shared_ptr<Session> session, std::string handle) {
    std::string bytes;
    for (;;) {
        json::value part = co_await session->send("IO.read", {{"handle", handle}, {"size", 1 << 20}});
        const json::object& answer = part.as_object();
        std::string data = text_of(answer, "data");
        if (flag_of(answer, "base64Encoded")) data = co_await base64_decode(data);
        bytes += data;
        if (flag_of(answer, "eof")) break;
    }
    session->post("IO.close", {{"handle", handle}});
    co_return bytes;
}

Task<std::string> print(std::shared_ptr<Session> session) {
    json::value printed = co_await session->send("Page.printToPDF", {{"landscape", false},
                                                                     {"displayHeaderFooter", false},
                                                                     {"printBackground", false},
                                                                     {"paperWidth", 8.5},
                                                                     {"paperHeight", 11},
                                                                     {"marginTop", 0},
                                                                     {"marginBottom", 0},
                                                                     {"marginLeft", 0},
                                                                     {"marginRight", 0},
                                                                     {"preferCSSPageSize", false},
                                                                     {"transferMode", "ReturnAsStream"}});
    co_return co_await read_stream(session, text_of(printed.as_object(), "stream"));
}

}  // namespace

Task<std::string> Page::pdf(Deadline deadline) { return bounded(print(session_), deadline, "Printing"); }

}  // namespace cdp
