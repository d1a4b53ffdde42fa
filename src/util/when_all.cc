#include "util/when_all.h"

#include <optional>

Task<> when_all(Loop& loop, std::vector<Task<>> tasks) {
    Completion<bool> done(loop);
    std::size_t left = tasks.size() + 1;  // plus one for this function, until all have begun
    std::optional<Error> failure;
    std::vector<Running> running;
    for (Task<>& each : tasks) {
        running.push_back(start(std::move(each), [&left, &failure, done](Result<void> result) {
            if (!result && !failure) failure = std::move(result.error());
            if (--left == 0) done.set(true);
        }));
    }
    if (--left > 0) co_await done;
    if (failure) co_await std::move(*failure);
}
