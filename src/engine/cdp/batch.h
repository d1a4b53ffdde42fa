// A group of commands sent together.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "engine/cdp/connection.h"

namespace cdp {

// Collects pending answers, so that the next command can be sent without waiting for them.
class Batch {
public:
    // Maps a failure to another error, or to nothing if it does not matter.
    using Explain = std::function<std::optional<Error>(Error)>;

    void add(Pending answer, Explain explain = {}) {
        answers_.emplace_back(std::move(answer), std::move(explain));
    }

    // Waits for all answers, then ends with the first failure.
    static Task<> finish(Batch batch) {
        std::optional<Error> failure;
        for (const auto& [answer, explain] : batch.answers_) {
            Result<json::value> result = co_await answer;
            if (result) continue;
            auto error = explain ? explain(std::move(result).error()) : std::move(result).error();
            if (!failure) failure = std::move(error);
        }
        if (failure) co_await std::move(*failure);
    }

private:
    std::vector<std::pair<Pending, Explain>> answers_;
};

}  // namespace cdp
