#include "tools/typed_text.h"

#include <array>

#include "util/strings.h"

namespace tools {
namespace {

// Of an address as browsers write it.
std::string origin_of(const std::string& url) {
    std::size_t host = url.find("://");
    return url.substr(0, host == url.npos ? url.find(':') : url.find_first_of("/?#", host + 3));
}

}  // namespace

Task<TypedText> text_to_type(session::Tab& tab, std::string text, std::shared_ptr<engine::Element> element) {
    const session::Secrets& secrets = tab.session().secrets();
    std::optional<std::string> value = secrets.find(text);
    if (!value) co_return TypedText{std::move(text)};
    const std::vector<std::string>* bound = secrets.origins_of(text);
    if (!bound) co_return TypedText{std::move(*value), true};
    std::array<std::string, 2> origins = {origin_of(tab.page().url()),
                                          co_await tab.page().origin_of(element, tab.action_deadline())};
    for (const std::string& origin : origins) {
        if (secrets.is_for(text, origin)) continue;
        constexpr std::string_view kRule = "security.secretOrigins";
        if (const auto& denied = tab.session().options().denied)
            denied("secret " + text + " at " + origin, std::string(kRule));
        co_await Error{.code = ErrorCode::PolicyDenied,
                       .message = "Secret \"" + text + "\" is denied by " + std::string(kRule) +
                                  ": it is not for " + origin + ".",
                       .hint = "It may be typed at " + join(*bound, ", ") + "."};
    }
    co_return TypedText{std::move(*value), true};
}

}  // namespace tools
