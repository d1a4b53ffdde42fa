// Keeps every call in the record, and sends as much of its result as is wanted.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "mcp/call_keeper.h"
#include "record/answer_shape.h"
#include "session/secrets.h"
#include "store/store.h"
#include "tools/record_identity.h"

namespace record {

// How much of each result is sent, unless a call says otherwise.
struct AnswerOptions {
    Mode mode = Mode::Full;
    std::optional<std::size_t> max_chars = {};
    std::optional<std::size_t> budget = {};  // of all answers of a session
    bool mark_untrusted = false;             // what may be a page's words is fenced
};

struct RecorderOptions {
    store::Store* store = nullptr;  // null: nothing is kept
    tools::IdentifyCaller identify;
    std::map<std::string, std::string> secrets = {};  // values by name, kept out of what is stored
    std::filesystem::path snapshots = {};  // where another server's links to snapshots begin; empty: unknown
    bool durable = false;                  // an answer waits until it is on disk
    AnswerOptions answers = {};
};

// Lives on the main loop. Storing is the writer's work: a call only hands over what it has.
class Recorder final : public mcp::CallKeeper {
public:
    explicit Recorder(RecorderOptions options);

    std::unique_ptr<mcp::KeptCall> begin(const mcp::CallToKeep& call) override;
    tools::ResourceContents shown(tools::ResourceContents contents) override;
    std::string redacted(std::string text) const override;

    // A session is there, with or without calls so far.
    void session_began(const tools::RecordIdentity& session, const tools::Caller& caller);
    void session_changed(const tools::RecordIdentity& session, store::SessionState state);

private:
    class Call;
    // What later answers of a session depend on.
    struct Answered {
        // The last page that the session was shown, kept only where differences are asked for, and the last
        // one that its answer left out.
        std::shared_ptr<const std::string> snapshot, unread;
        std::string unread_ref;
        bool recorded = false;
        std::size_t sent = 0;
        bool wants_differences = false;
    };

    tools::RecordIdentity identify(const mcp::CallToKeep& call) const;
    Wanted wanted(const std::string& session_id, const json::value* given);

    RecorderOptions options_;
    session::Secrets secrets_;
    std::map<std::string, Answered> sessions_;  // that the record knows of in this run
};

}  // namespace record
