#include "schema/references.h"

#include <vector>

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>

#include "util/strings.h"

namespace schema {
namespace {

// Resolves `reference` against `base`; returns the address without its fragment.
std::string resolved(const std::string& base, std::string_view reference) {
    reference = reference.substr(0, reference.find('#'));
    auto base_url = boost::urls::parse_uri_reference(base);
    auto reference_url = boost::urls::parse_uri_reference(reference);
    boost::urls::url result;
    if (!base_url || !reference_url || !boost::urls::resolve(*base_url, *reference_url, result)) {
        return std::string(reference);
    }
    return std::string(result.buffer());
}

// Follows a JSON pointer; null when it leads nowhere.
const json::value* follow(const json::value* from, std::string_view pointer) {
    for (std::string& token : split(pointer.substr(1), '/')) {
        replace_all(token, "~1", "/");
        replace_all(token, "~0", "~");
        if (const json::array* elements = from->if_array()) {
            bool number = !token.empty() && token.size() < 9 &&
                          token.find_first_not_of("0123456789") == std::string::npos;
            std::size_t index = number ? std::stoul(token) : elements->size();
            if (index >= elements->size()) return nullptr;
            from = &(*elements)[index];
        } else {
            from = json::find(*from, token);
            if (!from) return nullptr;
        }
    }
    return from;
}

Error problem(const std::string& reference, std::string_view what) {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "the reference \"" + reference + "\" " + std::string(what)};
}

}  // namespace

References::References(const json::value& root) {
    documents_.push_back({.root = &root});
    by_address_[""] = kRoot;
}

References::Resource References::enter(const json::value& schema, Resource within) {
    const json::object* keywords = schema.if_object();
    if (!keywords) return within;
    if (auto id = json::find_string(*keywords, "$id"); id && !id->starts_with('#')) {
        std::string address = resolved(documents_[within].address, *id);
        if (&schema != documents_[within].root) {
            within = documents_.size();
            documents_.push_back({.root = &schema});
        }
        documents_[within].address = address;
        by_address_[address] = within;
    }
    for (std::string_view keyword : {"$anchor", "$dynamicAnchor"}) {
        if (auto name = json::find_string(*keywords, keyword)) {
            documents_[within].anchors.emplace(*name, &schema);
        }
    }
    return within;
}

Result<References::Target> References::find(const std::string& reference, Resource within) const {
    std::size_t hash = reference.find('#');
    if (hash != 0) {
        auto found = by_address_.find(resolved(documents_[within].address, reference));
        if (found == by_address_.end()) {
            return problem(reference, "leads outside of the schema, and nothing is fetched");
        }
        within = found->second;
    }
    const Document& document = documents_[within];
    std::string fragment =
        hash == std::string::npos ? "" : percent_decode(std::string_view(reference).substr(hash + 1));
    const json::value* target = nullptr;
    if (fragment.empty()) {
        target = document.root;
    } else if (fragment.starts_with('/')) {
        target = follow(document.root, fragment);
    } else if (auto anchor = document.anchors.find(fragment); anchor != document.anchors.end()) {
        target = anchor->second;
    }
    if (!target) return problem(reference, "leads nowhere");
    return Target{target, within};
}

}  // namespace schema
