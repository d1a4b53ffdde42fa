// The state of a client's conversation that is needed to continue it with another daemon.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/message_scan.h"

namespace daemons {

// Watches the lines that pass between client and daemon. Lines are given without their newline.
class Conversation {
public:
    // Records a line from the client to the daemon.
    void sent(std::string_view line);
    // Records a line from the daemon. Returns false for what the client must not see: answers to `replay` and
    // `ping`, and late answers to calls that were given up.
    bool received(std::string_view line);

    // Called when the daemon is gone. Returns lines for the client: an error for each of its open calls, a
    // cancellation for each of its questions. An unanswered first `initialize` waits for the next daemon.
    std::string lose();
    bool awaits_initialize() const { return initialize_pending_; }
    // Whether the client has called a tool.
    bool has_called() const { return called_; }
    // Returns errors for all messages that wait for an answer.
    std::string fail(std::string_view why);

    bool has_open_calls() const { return !calls_.empty(); }
    // A request that a daemon answers at once, unless it hangs or is stopped.
    std::string ping();
    // Whether the last ping has no answer yet.
    bool awaits_ping() const { return !ping_id_.empty(); }
    struct GivenUp {
        std::string to_client, to_daemon;
    };
    // Call when the daemon does not answer. Gives an error for each open call, and cancels them in case the
    // daemon goes on.
    GivenUp give_up(std::string_view why);

    // Forgets the calls of a line that no daemon has read. Returns false when none of them is open.
    bool take_back(std::string_view line);

    // The messages that a new daemon gets first, so that it knows the client as the old one did.
    std::string replay();

private:
    struct Call {
        std::string id;    // canonical
        std::string text;  // as the client wrote it
    };

    void note_request(const Scanned& message, std::string_view line);
    void note_notification(const Scanned& message);
    std::string request(std::string_view method, std::string_view params);

    std::vector<Call> calls_;      // of the client, in progress
    std::vector<Call> questions_;  // of the daemon, in progress
    std::vector<Call> given_up_;   // of the client, answered by us
    std::string ping_id_;          // of the last ping, while it has no answer
    std::string initialize_;       // the whole line; empty before there was one
    std::string initialize_id_;
    std::string initialize_params_;
    bool initialize_pending_ = false;
    bool initialize_repeated_ = false;
    bool initialized_ = false;
    bool called_ = false;
    std::string level_params_;
    std::map<std::string, std::string> subscriptions_;  // params by uri
    int replayed_ = 0;
};

// Whether some message of the line expects an answer.
bool has_request(std::string_view line);

}  // namespace daemons
