// Records every call, and sends as much of its result as is wanted.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "mcp/call_middleware.h"
#include "record/answer_shape.h"
#include "record/linked_files.h"
#include "session/secrets.h"
#include "session/typed_passwords.h"
#include "store/store.h"
#include "tools/record_identity.h"

namespace record {

// The part of each result that is sent, unless a call chooses otherwise.
struct AnswerOptions {
    Mode mode = Mode::Full;
    std::optional<std::size_t> max_chars = {};
    std::optional<std::size_t> budget = {};  // of all answers of a session
    bool mark_untrusted = false;             // marks text that a page may have written
};

struct RecorderOptions {
    store::Store* store = nullptr;  // null: nothing is kept
    Loop* loop = nullptr;           // null: large results are processed on the calling thread
    tools::IdentifyCaller identify;
    std::map<std::string, std::string> secrets = {};  // values by name, redacted from stored texts
    std::vector<std::string> redact_url_params = {};  // URL parameters whose values are redacted as well
    std::filesystem::path snapshots = {};  // base of another server's links to snapshots; empty: unknown
    bool durable = false;                  // an answer waits until its record is on disk
    AnswerOptions answers = {};
};

// Whether the tool reads the record, so that its calls are not recorded.
bool reads_record(const tools::Tool& tool);

// Lives on the main loop. The store's writer does the storing: a call only hands over its data.
class CallRecorder final : public mcp::CallMiddleware {
public:
    explicit CallRecorder(RecorderOptions options);

    std::unique_ptr<mcp::RecordedCall> begin(const mcp::CallInfo& call) override;
    tools::ResourceContents shown(tools::ResourceContents contents) override;
    std::string redacted(std::string text) const override;
    std::string redacted_json(std::string text) const override;

    // Arguments in their recorded form.
    json::value recorded(const std::string& tool, json::value arguments) const;

    // Records that a session exists, with or without calls.
    void session_began(const tools::RecordIdentity& session, const tools::Caller& caller);
    void session_changed(const tools::RecordIdentity& session, store::SessionState state);

private:
    class Call;
    // State of a session that later answers depend on.
    struct Answered {
        // The last page shown to the session, kept only when differences are wanted, and the last page that
        // its answer left out.
        std::shared_ptr<const std::string> snapshot, unread;
        std::string unread_ref;
        bool recorded = false;
        std::size_t sent = 0;
        bool wants_differences = false;
        // The texts of its password fields, as far as its answers have told; null: none.
        std::shared_ptr<const session::TypedPasswords> passwords;
        std::string keys;  // the characters that another server has typed one by one
    };

    tools::RecordIdentity identify(const mcp::CallInfo& call) const;
    // Whether this run has recorded the session.
    bool has_recorded(const std::string& session_id) const;
    Wanted wanted(const std::string& session_id, const json::value* given);

    RecorderOptions options_;
    session::Secrets secrets_;
    LinkedFiles files_;
    std::map<std::string, Answered> sessions_;  // sessions that this run has recorded
};

}  // namespace record
