// The pages that the isolation checks visit, served on loopback.
#pragma once

#include <memory>
#include <string>

#include "transport/http.h"

namespace doctor {

// Lives on the main loop; stops listening when dropped.
class IsolationPages {
public:
    static Result<std::unique_ptr<IsolationPages>> start(Loop& loop, Log& log);

    // http://127.0.0.1:41234, without a slash.
    std::string origin() const { return "http://" + address_; }
    // The origin with credentials, for agents that navigate to a URL.
    std::string origin_as(const std::string& user, const std::string& password) const {
        return "http://" + user + ":" + password + "@" + address_;
    }

private:
    IsolationPages() = default;
    void answer(transport::HttpExchange& exchange);

    Metrics metrics_;
    std::unique_ptr<transport::HttpServer> server_;
    std::string address_;
    int served_ = 0;  // number of answers; a cache would repeat one
};

}  // namespace doctor
