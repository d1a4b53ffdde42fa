// What must be remembered of a client's conversation, so that it can go on with another daemon.
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
    // From the client, on its way to the daemon.
    void sent(std::string_view line);
    // From the daemon. False when the client must not see it: it answers what `replay` asked.
    bool received(std::string_view line);

    // The daemon is gone: an error for each call under way, an end for each question of its own; as lines for
    // the client. A first `initialize` without an answer waits for the next daemon instead.
    std::string lose();
    bool awaits_initialize() const { return initialize_pending_; }
    // Errors for everything that waits for an answer.
    std::string fail(std::string_view why);

    // Forgets the calls of a line that no daemon has seen. False when none of them is under way.
    bool take_back(std::string_view line);

    // What a new daemon is told before anything else, so that it knows the client as the old one did.
    std::string replay();

private:
    struct Call {
        std::string id;    // canonical
        std::string text;  // as the client wrote it
    };

    void note_request(const Scanned& message, std::string_view line);
    void note_notification(const Scanned& message);
    std::string request(std::string_view method, std::string_view params);

    std::vector<Call> calls_;      // of the client, under way
    std::vector<Call> questions_;  // of the daemon, under way
    std::string initialize_;       // the whole line; empty before there was one
    std::string initialize_id_;
    std::string initialize_params_;
    bool initialize_pending_ = false;
    bool initialize_repeated_ = false;
    bool initialized_ = false;
    std::string level_params_;
    std::map<std::string, std::string> subscriptions_;  // params by uri
    int replayed_ = 0;
};

// Whether some message of the line wants an answer.
bool has_request(std::string_view line);

}  // namespace daemons
