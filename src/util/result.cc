#include "util/result.h"

std::string_view to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidSelector:
            return "INVALID_SELECTOR";
        case ErrorCode::InvalidUrl:
            return "INVALID_URL";
        case ErrorCode::MissingParameter:
            return "MISSING_PARAMETER";
        case ErrorCode::InvalidArgument:
            return "INVALID_ARGUMENT";
        case ErrorCode::SessionNotFound:
            return "SESSION_NOT_FOUND";
        case ErrorCode::ElementNotFound:
            return "ELEMENT_NOT_FOUND";
        case ErrorCode::ElementNotInteractive:
            return "ELEMENT_NOT_INTERACTIVE";
        case ErrorCode::NotFound:
            return "NOT_FOUND";
        case ErrorCode::PolicyDenied:
            return "POLICY_DENIED";
        case ErrorCode::BrowserCrashed:
            return "BROWSER_CRASHED";
        case ErrorCode::Timeout:
            return "TIMEOUT";
        case ErrorCode::NetworkError:
            return "NETWORK_ERROR";
        case ErrorCode::NavigationFailed:
            return "NAVIGATION_FAILED";
        case ErrorCode::ResourceExhausted:
            return "RESOURCE_EXHAUSTED";
        case ErrorCode::Cancelled:
            return "CANCELLED";
        case ErrorCode::InternalError:
            return "INTERNAL_ERROR";
    }
    return "INTERNAL_ERROR";
}

bool Error::retryable() const {
    switch (code) {
        case ErrorCode::BrowserCrashed:
        case ErrorCode::Timeout:
        case ErrorCode::NetworkError:
        case ErrorCode::ResourceExhausted:
            return true;
        default:
            return false;
    }
}

std::string Error::to_string() const { return hint.empty() ? message : message + " " + hint; }
