#include "util/error_codes.h"

namespace {

constexpr ErrorCodeInfo kCodes[] = {
    {ErrorCode::InvalidSelector, "INVALID_SELECTOR", false,
     "The selector or locator cannot be read, or matches several elements where one is meant.",
     "Correct the selector: CSS, text=…, role=…, xpath=… or a locator like getByRole('button')."},
    {ErrorCode::InvalidUrl, "INVALID_URL", false, "The address cannot be read.",
     "Give a whole address, like https://example.com/path."},
    {ErrorCode::MissingParameter, "MISSING_PARAMETER", false, "An argument that is needed was left out.",
     "Call again with the argument that the message names."},
    {ErrorCode::InvalidArgument, "INVALID_ARGUMENT", false,
     "An argument has a value that cannot be used, or a script of the caller's failed.",
     "Correct what the message names; the tool's input schema says what is allowed."},
    {ErrorCode::SessionNotFound, "SESSION_NOT_FOUND", false,
     "There is no such session, or it is not the caller's.", "Start a new session and go to the page again."},
    {ErrorCode::ElementNotFound, "ELEMENT_NOT_FOUND", false,
     "Nothing on the page matches, or the element has gone.",
     "Look at the page with browser_snapshot or find_elements, or give the element time with "
     "wait_for_selector."},
    {ErrorCode::ElementNotInteractive, "ELEMENT_NOT_INTERACTIVE", false,
     "The element is there but cannot be used so: hidden, disabled, covered or of another kind.",
     "Do first what shows or enables the element, or choose another; a screenshot shows what covers it."},
    {ErrorCode::NotFound, "NOT_FOUND", false, "Something other than an element is not there: a tab, a file.",
     "List what there is and choose from that."},
    {ErrorCode::PolicyDenied, "POLICY_DENIED", false, "A rule of this server forbids it.",
     "Do without it, or ask the operator of this server to change the rule that the message names."},
    {ErrorCode::BrowserCrashed, "BROWSER_CRASHED", true, "The tab or its browser has gone.",
     "Call again: a new one is started. Go to the page first."},
    {ErrorCode::Timeout, "TIMEOUT", true, "It was not done in time.",
     "Call again with a larger timeout, or wait for what the message says was still missing."},
    {ErrorCode::NetworkError, "NETWORK_ERROR", true, "A connection failed.",
     "Check that the address can be reached, then call again."},
    {ErrorCode::NavigationFailed, "NAVIGATION_FAILED", false, "The page could not be opened.",
     "Check the address and that its server answers; the message has the browser's own reason."},
    {ErrorCode::ResourceExhausted, "RESOURCE_EXHAUSTED", true,
     "A limit is reached: sessions, tabs, memory, size.",
     "Close what is no longer needed, or call again later."},
    {ErrorCode::Cancelled, "CANCELLED", false, "The call was cancelled.",
     "Call again if it is still wanted."},
    {ErrorCode::InternalError, "INTERNAL_ERROR", false, "Something went wrong in the server itself.",
     "Look into the server's log, and report it."},
};

}  // namespace

std::span<const ErrorCodeInfo> error_codes() { return kCodes; }

const ErrorCodeInfo& about(ErrorCode code) {
    for (const ErrorCodeInfo& info : kCodes) {
        if (info.code == code) return info;
    }
    return about(ErrorCode::InternalError);
}
