// Who waits for a server's answers, for what the server asks and says meanwhile.
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

// The calls of one session that are under way. A server's questions and messages name no call, so they go to
// the client of the latest. Lives on the loop.
class Callers {
public:
    // The caller's workspace, where its own word on that does not count; empty: it is asked.
    using FolderOf = std::function<std::filesystem::path(const tools::Caller& caller)>;

    explicit Callers(Loop& loop, FolderOf folder_of = {}) : loop_(loop), folder_of_(std::move(folder_of)) {}

    // One call, for as long as it lasts. Questions that its client has not answered by then fail.
    class Waiting {
    public:
        Waiting(std::shared_ptr<Callers> callers, tools::Client& client);
        Waiting(const Waiting&) = delete;
        Waiting& operator=(const Waiting&) = delete;
        ~Waiting();

    private:
        std::shared_ptr<Callers> callers_;
        std::list<tools::Client*>::iterator place_;
    };

    bool empty() const { return clients_.empty(); }
    // Nobody's name when nobody calls.
    tools::Caller latest() const { return empty() ? tools::Caller{} : clients_.back()->caller(); }
    // What the latest caller's client answers, as a handshake declares it. Nothing for one of the stateless
    // protocol: there a question ends the call, and the server would do its work twice.
    json::object capabilities() const;
    // The method that a capability of the client stands for: roots -> roots/list.
    static std::string_view method_of(std::string_view capability);

    // The client's answer. Dropping the Task withdraws the question.
    static Task<json::value> ask(std::shared_ptr<Callers> self, std::string method, json::object params);
    // The first of the client's roots, once the server has asked for them: what it writes may lie there.
    const std::filesystem::path& workspace() const { return workspace_; }
    // Hands on the params of a `notifications/message`. False when there is nobody to tell.
    bool tell(const json::object& message);

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
