#include "util/secure_url.h"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "util/loopback.h"

Result<void> check_secure_url(std::string_view text) {
    auto invalid = [&](const std::string& why) {
        return Error{.code = ErrorCode::InvalidUrl,
                     .message = std::string(text) + " " + why,
                     .hint =
                         "Give an address like https://login.example.com; http is for this machine only, "
                         "as http://localhost:3000."};
    };
    auto url = boost::urls::parse_uri(text);
    if (!url || url->host().empty()) return invalid("is no web address.");
    if (url->has_userinfo()) return invalid("has credentials.");
    if (url->has_fragment()) return invalid("has a fragment.");
    if (url->scheme() == "https") return ok();
    if (url->scheme() != "http") return invalid("is not https.");
    if (!is_loopback(std::string_view(url->encoded_host())))
        return invalid("is not https and not on this machine.");
    return ok();
}
