// The steps of a test, and how they are written.
#include <algorithm>

#include "cli/playwright_test.h"
#include "tools/source_text.h"
#include "util/strings.h"

namespace cli {
namespace {

using tools::quote;

// The code that answers the dialogs in the order in which they open.
std::string answering(const std::string& page, const std::vector<json::object>& dialogs, std::size_t at = 0) {
    const json::object& given = dialogs[at];
    std::string answer = "dialog.dismiss()";
    if (json::find_bool(given, "accept").value_or(false)) {
        auto text = json::find_string(given, "promptText");
        answer = "dialog.accept(" + (text ? quote(*text) : "") + ")";
    }
    std::string code = page + ".once('dialog', dialog => ";
    if (at + 1 == dialogs.size()) return code + answer + ");";
    std::string inner;
    for (const std::string& line : split(answering(page, dialogs, at + 1), '\n')) inner += "  " + line + "\n";
    return code + "{\n" + inner + "  return " + answer + ";\n});";
}

std::string_view without_fragment(std::string_view url) { return url.substr(0, url.find('#')); }

}  // namespace

// Adds the effects of the step so far, as this answer shows them.
void TestWriter::observe(const ReadCall& read) {
    const AnswerSections& answer = read.answer;
    if (!step_) begin({});
    if (answer.tabs.empty() && answer.shows_page && tabs_.size() > 1)
        follow_tabs({{.url = read.call.summary.page_url, .is_current = true}});
    else
        follow_tabs(answer.tabs);
    if (answer.has_file_chooser && chooser_.empty() && !step_->code.empty()) {
        chooser_ = numbered("fileChooser");
        step_->choosers.push_back(chooser_);
    }
    for (const std::string& name : answer.downloads) {
        if (!step_->code.empty()) step_->downloads.push_back(name);
    }
    auto network = json::parse(read.call.network.empty() ? "[]" : read.call.network);
    for (const json::value& each : network && network->is_array() ? network->as_array() : json::array()) {
        const json::object* request = each.if_object();
        if (request && json::find_string(*request, "type") == "document")
            step_->loaded_url = json::find_string(*request, "url").value_or("");
    }
    bool is_elsewhere = tabs_.empty() || page_of(read.params) != step_->page;
    if (!is_elsewhere) observe_page(read, find_tab(step_->page));
}

void TestWriter::observe_page(const ReadCall& read, TestTab* tab) {
    const store::CallSummary& summary = read.call.summary;
    // The snapshot is empty behind a file chooser or a dialog.
    bool is_shown = read.call.page_snapshot && !read.call.page_snapshot->empty();
    if (tab && is_shown) tab->elements = locators_in(*read.call.page_snapshot, tab->frames);
    bool is_sure = step_->is_sure && (!tab || tab->is_sure);
    if (read.answer.has_dialog || step_->is_last || !is_sure) return;
    if (!summary.page_url.empty()) step_->url = summary.page_url;
    if (!summary.page_title.empty()) step_->title = summary.page_title;
    if (const json::object* place = read.steps.goes ? read.data.if_object() : nullptr)
        step_->title = json::find_string(*place, "title").value_or("");
    bool is_part = summary.tool_name == "browser_snapshot" &&
                   (!target_of(read.params).empty() || read.params.contains("depth"));
    if (is_shown && !is_part) step_->snapshot = read.call.page_snapshot;
    if (read.steps.part == Part::Read) add_read(read);
}

// A listed tab that is unknown was opened by the page; a known tab that is not listed has closed itself.
void TestWriter::follow_tabs(const std::vector<ListedTab>& listed) {
    if (listed.empty()) return;
    while (listed.size() < tabs_.size()) {
        auto is_gone = [&](const TestTab& tab) {
            return std::ranges::find(listed, tab.listed_url, &ListedTab::url) == listed.end();
        };
        // When several match, removes the one that was opened last.
        auto gone = std::ranges::find_if(tabs_.rbegin(), tabs_.rend(), is_gone);
        tabs_.erase(gone == tabs_.rend() ? tabs_.end() - 1 : gone.base() - 1);
    }
    while (tabs_.size() < listed.size()) {
        bool is_repeated = tabs_.empty() || tabs_[std::min(current_, tabs_.size() - 1)].is_sure;
        tabs_.push_back({.name = numbered("page"), .is_sure = is_repeated});
        if (!is_repeated)
            write_unopened(tabs_.back(), listed[tabs_.size() - 1]);
        else if (step_ && !step_->code.empty())
            step_->popups.push_back(tabs_.back().name);
        else
            write_late_popup(tabs_.back().name, tabs_.size());
        uses_context_ = true;
    }
    for (std::size_t i = 0; i < listed.size(); ++i) {
        tabs_[i].id = listed[i].id;
        tabs_[i].listed_url = listed[i].url;
        if (listed[i].is_current) current_ = i;
    }
}

// The popup was seen too late for any action to wait for it.
void TestWriter::write_late_popup(const std::string& name, std::size_t count) {
    std::string number = std::to_string(count - 1);
    write("await expect.poll(() => context.pages().length).toBeGreaterThan(" + number + ");\nconst " + name +
          " = context.pages()[" + number + "];");
}

// The tab was opened by an action that is left out.
void TestWriter::write_unopened(const TestTab& tab, const ListedTab& listed) {
    write("const " + tab.name + " = await context.newPage();");
    if (listed.url.starts_with("http"))
        write(with_variables("await " + tab.name + ".goto(" + quote(listed.url) + ");"));
}

// True when a document was loaded without a change of address: the next action would otherwise come too
// early.
bool TestWriter::must_wait_for_load(const TestStep& step, const TestTab& tab) {
    bool may_load = !step.goes && !step.code.empty() && step.downloads.empty() && !step.loaded_url.empty();
    return may_load && without_fragment(step.loaded_url) == without_fragment(step.url) &&
           url_assertion("page", step.url) == url_assertion("page", tab.url);
}

void TestWriter::write_step(const TestStep& step) {
    TestTab* tab = find_tab(step.page);
    std::vector<std::string> ends;
    auto expect = [&](const std::string& name, const std::string& event) {
        write("const " + name + "Promise = " + event + ";");
        ends.push_back("const " + name + " = await " + name + "Promise;");
    };
    if (!step.dialogs.empty()) write(with_variables(answering(step.page, step.dialogs)));
    for (const std::string& name : step.popups) expect(name, "context.waitForEvent('page')");
    for (const std::string& name : step.choosers) expect(name, step.page + ".waitForEvent('filechooser')");
    for (const std::string& file : step.downloads) {
        std::string name = numbered("download");
        expect(name, step.page + ".waitForEvent('download')");
        if (stable_length(file) == file.size())
            ends.push_back("expect(" + name + ".suggestedFilename()).toBe(" + quote(file) + ");");
    }
    if (tab && must_wait_for_load(step, *tab)) {
        std::string name = numbered("navigation");
        write("const " + name + " = " + step.page +
              ".waitForEvent('framenavigated', frame => frame === " + step.page + ".mainFrame());");
        ends.push_back("await " + name + ";");
    }
    for (std::string code : step.code) {
        // The browser handles the download instead, which ends the navigation.
        if (step.goes && !step.downloads.empty() && code.ends_with(");"))
            code.insert(code.size() - 1, ".catch(() => {})");
        write(std::move(code));
    }
    for (std::string& line : ends) write(std::move(line));
    for (const std::string& line : step.after) write(line);
    if (tab && !step.is_last) write_assertions(step, *tab);
}

void TestWriter::write_assertions(const TestStep& step, TestTab& tab) {
    auto write_unless_empty = [&](std::string code) {
        if (!code.empty()) write(std::move(code));
    };
    if (!step.url.empty() && step.url != tab.url) {
        write_unless_empty(url_assertion(step.page, step.url));
        tab.url = step.url;
    }
    if (!step.title.empty() && step.title != tab.title) {
        write_unless_empty(title_assertion(step.page, step.title));
        tab.title = step.title;
    }
    if (step.snapshot) {
        for (std::string& code : tab.snapshots.of(step.page, *step.snapshot, tab.frames))
            write(std::move(code));
    }
    for (const auto& [call, code] : step.reads) write(code);
}

}  // namespace cli
