// The caller of the JSON API, as a tool sees it.
#pragma once

#include "tools/client.h"

namespace api {

// A client that cannot be asked anything.
class ApiClient final : public tools::Client {
public:
    explicit ApiClient(tools::Caller caller) : caller_(std::move(caller)) {}

    const tools::Caller& caller() const override { return caller_; }
    bool answers(std::string_view) const override { return false; }
    void report_progress(double, std::optional<double>, std::string_view) override {}
    void log(tools::MessageLevel, std::string_view, json::value) override {}
    Task<std::map<std::string, json::value>> ask(std::vector<tools::InputRequest>) override {
        co_await Error{.code = ErrorCode::InvalidArgument, .message = "The API's callers cannot be asked."};
        co_return std::map<std::string, json::value>{};
    }

private:
    tools::Caller caller_;
};

}  // namespace api
