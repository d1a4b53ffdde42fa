// Tracks the clients that receive a server's questions and messages during calls.
#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "tools/client.h"
#include "util/async.h"

namespace upstream {

// The calls in progress of one session. A server's questions and messages name no call, so they go to the
// client of the latest one. Lives on the loop.
class ActiveCalls {
public:
    // Returns the workspace of a caller whose own roots are not trusted; empty: the client is asked.
    using FolderOf = std::function<std::filesystem::path(const tools::Caller& caller)>;

    explicit ActiveCalls(Loop& loop, FolderOf folder_of = {})
        : loop_(loop), folder_of_(std::move(folder_of)) {}

    // One call, for as long as it lasts. Unanswered questions to its client fail when it ends.
    class Waiting {
    public:
        Waiting(std::shared_ptr<ActiveCalls> active_calls, tools::Client& client);
        Waiting(const Waiting&) = delete;
        Waiting& operator=(const Waiting&) = delete;
        ~Waiting();

    private:
        std::shared_ptr<ActiveCalls> active_calls_;
        std::list<tools::Client*>::iterator place_;
    };

    bool empty() const { return clients_.empty(); }
    // The latest caller; a default Caller when no call is in progress.
    tools::Caller latest() const { return empty() ? tools::Caller{} : clients_.back()->caller(); }
    // The client capabilities of the latest caller, as a handshake declares them. Empty for a caller of the
    // stateless protocol: there a question ends the call, and the server would do its work twice.
    json::object capabilities() const;
    // The method that a client capability covers: roots -> roots/list.
    static std::string_view method_of(std::string_view capability);

    // Asks the client and returns its answer. Dropping the Task withdraws the question.
    static Task<json::value> ask(std::shared_ptr<ActiveCalls> self, std::string method, json::object params);
    // The first of the client's roots, once the server has asked for them; the server may write files there.
    const std::filesystem::path& workspace() const { return workspace_; }
    // Passes on the params of a `notifications/message`. Returns false when no call is in progress.
    bool notify(const json::object& message);

private:
    struct Question {
        tools::Client* client;
        Running asking;
        Completion<Result<json::value>> answer;
    };
    class Asked;

    void forget(tools::Client* client);

    std::filesystem::path folder_of_latest() const;

    Loop& loop_;
    FolderOf folder_of_;
    std::list<tools::Client*> clients_;  // the latest last
    std::map<std::uint64_t, Question> questions_;
    std::uint64_t last_question_ = 0;
    std::filesystem::path workspace_;
};

}  // namespace upstream
