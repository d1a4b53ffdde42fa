// Writes recorded calls as one test for @playwright/test.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/answer_sections.h"
#include "cli/page_assertions.h"
#include "cli/tool_steps.h"
#include "store/history.h"
#include "util/json.h"

namespace cli {

// A tab of the session.
struct TestTab {
    std::string name;                      // its variable
    std::string url = {}, title = {};      // last asserted values
    std::string listed_url = {}, id = {};  // values in the last list of tabs
    FrameLocators frames = {};
    ElementLocators elements = {};  // of the last snapshot
    SnapshotAssertions snapshots = {};
    bool is_sure = true;  // no action was left out that may have changed the page
};

// An action, its effects, and the observations of the page until the next action.
struct TestStep {
    std::string page;               // the page that the action uses
    std::vector<std::string> code;  // empty for a step that only reads
    std::vector<json::object> dialogs = {};
    std::vector<std::string> popups = {}, choosers = {}, downloads = {};
    bool goes = false;                    // navigates explicitly
    bool is_last = false;                 // the browser is closed
    bool is_sure = true;                  // no failure since, which may have changed the page
    std::vector<std::string> after = {};  // waits, checks and failures
    std::string url = {}, title = {}, loaded_url = {};
    std::optional<std::string> snapshot = {};
    std::map<std::string, std::string> reads = {};  // checks of what answers said, by the call
};

// A call with its arguments and the parts of its answer.
struct ReadCall {
    const store::Call& call;
    const ToolSteps steps;
    json::object params;
    AnswerSections answer;
    std::string text;
    json::value data;  // of an answer in JSON
};

// Adds the calls of a session, one after the other.
class TestWriter {
public:
    explicit TestWriter(const std::vector<store::Call>& calls);

    Result<void> add(const store::Call& call);
    // The lines of the test's function. Empty: no call had code.
    std::vector<std::string> finish();
    // The environment variables that the test reads. Complete after finish().
    const std::set<std::string>& variables() const { return variables_; }
    bool uses_context() const { return uses_context_; }

private:
    Result<void> add_code(const ReadCall& read);
    void add_tabs(const ReadCall& read);
    void add_files(const ReadCall& read);
    void add_read(const ReadCall& read);
    void add_failure(const store::Call& call);
    void add_left_out(const store::Call& call);
    void begin(std::vector<std::string> code);
    void end_step();
    void observe(const ReadCall& read);
    void observe_page(const ReadCall& read, TestTab* tab);
    void follow_tabs(const std::vector<ListedTab>& listed);
    void write_step(const TestStep& step);
    void write_unopened(const TestTab& tab, const ListedTab& listed);
    void write_late_popup(const std::string& name, std::size_t count);
    void write_assertions(const TestStep& step, TestTab& tab);
    static bool must_wait_for_load(const TestStep& step, const TestTab& tab);

    // The variable of the page that the call is about.
    std::string page_of(const json::object& params);
    std::string open_tab();
    TestTab* find_tab(std::string_view name);
    // The code of a call for this page. Nothing: a test cannot repeat the call.
    std::optional<std::string> code_of(const ReadCall& read, const std::string& page);
    std::optional<std::string> written(const ReadCall& read, const std::string& page);
    std::string with_typed_passwords(const ReadCall& read, std::string_view code);
    void note_frame(const json::object& params, const std::string& code, const std::string& page);
    std::string typed_variable(std::string_view statement);
    std::string with_variables(std::string_view code);
    std::string numbered(std::string_view name);
    void write(std::string line);

    std::vector<TestTab> tabs_{{.name = "page"}};
    std::size_t current_ = 0;
    std::optional<TestStep> step_;
    std::vector<std::string> lines_;
    std::map<std::string, int, std::less<>> numbers_;  // of variables, by name
    std::set<std::string> variables_, secrets_;
    Handlers handlers_;
    std::string password_;  // the variable for the last typed text
    std::string chooser_;   // the variable of the open file chooser
    bool types_keys_ = false, uses_context_ = false, has_code_ = false;
};

}  // namespace cli
