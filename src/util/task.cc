#include "util/task.h"

#include <stdexcept>

namespace task_detail {

Error error_from_current_exception() {
    try {
        throw;
    } catch (Failure& failure) {
        return std::move(failure.error);
    } catch (const std::exception& exception) {
        return Error{
            .code = ErrorCode::InternalError, .message = "Internal error.", .details = exception.what()};
    } catch (...) {
        return Error{.code = ErrorCode::InternalError, .message = "Internal error."};
    }
}

void Root::drop() {
    if (finished) return;
    if (on_stack) {
        dropped = true;
        return;
    }
    finished = true;
    frame.destroy();
}

void Resumer::resume() const {
    // The chain may end here and destroy the awaiter with this Resumer.
    std::shared_ptr<Root> root = root_;
    bool nested = std::exchange(root->on_stack, true);
    std::coroutine_handle<>(handle_).resume();
    root->on_stack = nested;
    if (!nested && root->dropped) {
        root->dropped = false;
        root->drop();
    }
}

}  // namespace task_detail
