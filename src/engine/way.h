// The way of a context's pages to the network.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace engine {

// Whose a context or a page is, for those who judge and write down what pages ask for.
struct Holder {
    std::string session = {};    // by name
    std::string principal = {};  // who was authenticated
};

// Made with the context, which keeps it. It becomes somebody's when the context does.
struct Way {
    // Asked for every request of every page, with whose it is; null: nobody's that we know of. False blocks
    // it. Empty allows all.
    std::function<bool(const std::string& url, const Holder* holder)> may_request = {};
    // Told of pages that look for peers (WebRTC) by other ways than the proxy, which the browser does not let
    // them: by which servers, with whose they are. May be empty.
    std::function<void(const std::string& servers, const Holder* holder)> peers_sought = {};
    std::string proxy_server = {};    // that every connection goes through; empty: the browser's own
    std::shared_ptr<void> door = {};  // what holds that open
    std::shared_ptr<const Holder> holder = {};
    // Of single pages, where a context has those of several sessions, by the page's id.
    std::map<std::string, std::shared_ptr<const Holder>> page_holders = {};

    // A popup is its opener's until somebody has taken it.
    const Holder* holder_of(const std::string& page, const std::string& opener) const {
        for (const std::string& id : {page, opener}) {
            if (auto found = page_holders.find(id); found != page_holders.end()) return found->second.get();
        }
        return holder.get();
    }
};

}  // namespace engine
