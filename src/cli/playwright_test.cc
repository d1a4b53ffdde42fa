#include "cli/playwright_test.h"

#include <algorithm>

#include "cli/javascript.h"
#include "tools/history_text.h"
#include "tools/source_text.h"
#include "util/strings.h"

namespace cli {
namespace {

using tools::quote;

constexpr std::string_view kPassword = "<secret>password</secret>", kVariable = "process.env['";
constexpr std::size_t kMaxCommentLength = 300;

std::string text_in(const json::object& object, std::string_view key) {
    return std::string(json::find_string(object, key).value_or(""));
}

json::object parsed(const std::string& text) {
    auto value = json::parse(text.empty() ? "{}" : text);
    return value && value->is_object() ? value->as_object() : json::object();
}

// Derives PASSWORD from 'Password'.
std::string constant_name(std::string_view label) {
    std::string name;
    for (char c : label) {
        auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 && std::isalnum(byte))
            name += static_cast<char>(std::toupper(byte));
        else if (!name.empty() && name.back() != '_')
            name += '_';
    }
    while (name.ends_with('_')) name.pop_back();
    return name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) ? "PASSWORD" : name;
}

// The text for a comment, which any line break of JavaScript would end.
std::string one_line(std::string_view text) {
    std::string line;
    for (const std::string& part : split(text, '\n')) {
        // Reads only the first section.
        if (part.starts_with("### ") && !line.empty()) break;
        if (part.empty() || part.starts_with("### ")) continue;
        line += (line.empty() ? "" : " ") + part;
    }
    for (std::string_view line_break : {"\r", "\u2028", "\u2029"}) replace_all(line, line_break, " ");
    if (line.size() > kMaxCommentLength) line = well_formed(line.substr(0, kMaxCommentLength)) + "…";
    return line;
}

// The message in an answer of the toolkit; other errors stay.
std::string error_in(const std::string& answer) {
    json::object members = answer.starts_with('{') ? parsed(answer) : json::object();
    const json::object* error = json::find_object(members, "error");
    return error ? text_in(*error, "message") : answer;
}

// An answer of the toolkit: {success: true, data, dialogs}.
void read_json(ReadCall& read) {
    auto parsed = json::parse(read.text.substr(0, read.text.find('\n')));
    const json::object* members = parsed ? parsed->if_object() : nullptr;
    if (!members || !members->contains("success")) return;
    if (const json::value* data = json::find(*members, "data")) read.data = *data;
    const json::array* dialogs = json::find_array(*members, "dialogs");
    for (const json::value& each : dialogs ? *dialogs : json::array()) {
        const json::object* dialog = each.if_object();
        bool is_chooser = dialog && json::find_string(*dialog, "type") == "filechooser";
        (is_chooser ? read.answer.has_file_chooser : read.answer.has_dialog) = true;
    }
}

ReadCall read_call(const store::Call& call) {
    ReadCall read{.call = call,
                  .steps = steps_of(call.summary.tool_name),
                  .params = parsed(call.params),
                  .answer = {},
                  .text = tools::result_text(call.result),
                  .data = {}};
    read.answer =
        read_sections(read.text, read.steps.part == Part::Tabs ? ResultShows::Tabs : ResultShows::Anything);
    read_json(read);
    return read;
}

bool closes_browser(std::string_view tool) {
    return tool == "browser_close" || tool == "close_session" || tool == "session_close";
}

}  // namespace

TestWriter::TestWriter(const std::vector<store::Call>& calls) {
    for (const store::Call& call : calls) {
        for (std::size_t at = call.result.find(kVariable); at != std::string::npos;
             at = call.result.find(kVariable, at + 1)) {
            std::size_t begin = at + kVariable.size();
            secrets_.insert(call.result.substr(begin, call.result.find('\'', begin) - begin));
        }
    }
}

Result<void> TestWriter::add(const store::Call& call) {
    if (call.summary.status != store::Status::Success) {
        add_failure(call);
        return ok();
    }
    ReadCall read = read_call(call);
    switch (read.steps.part) {
        case Part::Dialog:
            if (step_) step_->dialogs.push_back(read.params);
            break;
        case Part::Tabs:
            add_tabs(read);
            break;
        case Part::Files:
            add_files(read);
            break;
        case Part::Action:
        case Part::Wait:
        case Part::Check:
            TRY(add_code(read));
            break;
        case Part::Read:
        case Part::Nothing:
            break;
    }
    observe(read);
    if (step_ && step_->is_last) {
        end_step();
        tabs_.clear();
    }
    return ok();
}

Result<void> TestWriter::add_code(const ReadCall& read) {
    const std::string& tool = read.call.summary.tool_name;
    if (!read.answer.code.empty() && read.answer.language != "js") {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "The session was recorded with code in " + read.answer.language + ".",
                     .hint = "Only what was recorded with --codegen typescript becomes a test."};
    }
    bool is_last = closes_browser(tool);
    if (is_last && tabs_.empty()) return ok();
    std::string page = page_of(read.params);
    std::optional<std::string> code = code_of(read, page);
    if (!code) {
        if (read.steps.part == Part::Action) add_left_out(read.call);
        return ok();
    }
    if (code->empty()) return ok();
    has_code_ = true;
    if (read.steps.part != Part::Action && step_) {
        if (read.steps.part == Part::Wait) step_->reads.clear();
        step_->after.push_back(std::move(*code));
        return ok();
    }
    bool types_key = (tool == "browser_press_key" || tool == "press") &&
                     json::find_string(read.params, "key") == kPassword;
    if (types_key && types_keys_ && step_) return ok();
    end_step();
    begin({});
    step_->page = page;
    step_->code = {std::move(*code)};
    step_->goes = read.steps.goes;
    step_->is_last = is_last;
    if (TestTab* tab = find_tab(page); tab && step_->goes) tab->is_sure = true;
    types_keys_ = types_key;
    if (types_key)
        step_->code = {"await " + page + ".keyboard.type(" + environment_variable(typed_variable("")) + ");"};
    return ok();
}

void TestWriter::add_tabs(const ReadCall& read) {
    const AnswerSections& answer = read.answer;
    std::string action = text_in(read.params, "action");
    auto index = json::find_integer(read.params, "index");
    if (action == "new") {
        bool is_first = !has_code_ && tabs_.size() == 1 && answer.tabs.size() == 1;
        end_step();
        std::string code;
        if (!is_first) code = open_tab();
        begin({});
        step_->page = tabs_[current_].name;
        if (!code.empty()) step_->code.push_back(std::move(code));
        has_code_ = true;
        if (!answer.code.empty()) {
            step_->goes = true;
            step_->code.push_back(
                with_variables(with_variable_renamed(answer.code, "page", tabs_[current_].name)));
        }
    } else if (action == "select" && index) {
        follow_tabs(answer.tabs);
        end_step();
        current_ =
            static_cast<std::size_t>(*index) < tabs_.size() ? static_cast<std::size_t>(*index) : current_;
        begin({});
    } else if (action == "close") {
        std::size_t which = index ? static_cast<std::size_t>(*index) : current_;
        if (which >= tabs_.size()) return;
        end_step();
        begin({"await " + tabs_[which].name + ".close();"});
        has_code_ = true;
        tabs_.erase(tabs_.begin() + static_cast<std::ptrdiff_t>(which));
        if (current_ >= which && current_ > 0) --current_;
        follow_tabs(answer.tabs);
        if (!tabs_.empty()) step_->page = tabs_[current_].name;
    }
}

void TestWriter::add_files(const ReadCall& read) {
    // A chooser that opened before the record began has no recorded action to wait with.
    if (chooser_.empty()) return add_left_out(read.call);
    std::string chooser = std::exchange(chooser_, "");
    end_step();
    std::string page = page_of(read.params);
    begin({});
    step_->page = page;
    if (!read.params.contains("paths")) {
        step_->after.push_back("// The file chooser was cancelled.");
        return;
    }
    if (auto code = code_of(read, page))
        step_->code.push_back(with_variable_renamed(*code, "fileChooser", chooser));
}

// Answers that were read twice count as they were the last time.
void TestWriter::add_read(const ReadCall& read) {
    auto code = written(read, step_->page);
    std::string key = read.call.summary.tool_name + " " + std::string(target_of(read.params)) + " " +
                      text_in(read.params, "name") + text_in(read.params, "attribute");
    if (code)
        step_->reads[key] = std::move(*code);
    else
        step_->reads.erase(key);
}

void TestWriter::add_failure(const store::Call& call) {
    std::string why =
        call.summary.status ? one_line(error_in(call.summary.error_message)) : "It was not answered.";
    std::string line = "// Left out, because it failed: " + call.summary.tool_name + " " +
                       one_line(call.params) + ": " + why;
    if (!step_) return write(std::move(line));
    step_->after.push_back(std::move(line));
    step_->is_sure = false;
}

void TestWriter::add_left_out(const store::Call& call) {
    end_step();
    begin({});
    step_->after.push_back("// Left out, because a test cannot repeat it: " + call.summary.tool_name + " " +
                           one_line(call.params));
    if (TestTab* tab = find_tab(step_->page)) tab->is_sure = false;
}

void TestWriter::begin(std::vector<std::string> code) {
    types_keys_ = false;
    step_.emplace();
    if (current_ < tabs_.size()) step_->page = tabs_[current_].name;
    step_->code = std::move(code);
}

void TestWriter::end_step() {
    if (step_) write_step(*step_);
    step_.reset();
}

std::string TestWriter::page_of(const json::object& params) {
    if (tabs_.empty()) {
        write(open_tab());
        return tabs_[current_].name;
    }
    for (std::string_view key : {"targetId", "tabId"}) {
        std::string id = text_in(params, key);
        auto tab = id.empty() ? tabs_.end() : std::ranges::find(tabs_, id, &TestTab::id);
        if (tab != tabs_.end()) return tab->name;
    }
    return tabs_[std::min(current_, tabs_.size() - 1)].name;
}

// Writes code that opens another tab, which becomes the current one.
std::string TestWriter::open_tab() {
    tabs_.push_back({.name = numbered("page")});
    current_ = tabs_.size() - 1;
    uses_context_ = true;
    return "const " + tabs_.back().name + " = await context.newPage();";
}

TestTab* TestWriter::find_tab(std::string_view name) {
    auto tab = std::ranges::find(tabs_, name, &TestTab::name);
    return tab == tabs_.end() ? nullptr : &*tab;
}

std::optional<std::string> TestWriter::code_of(const ReadCall& read, const std::string& page) {
    if (read.steps.write) {
        auto code = written(read, page);
        if (code) note_frame(read.params, *code, page);
        return code;
    }
    if (read.answer.code.empty()) return std::nullopt;
    std::string code = with_typed_passwords(read, read.answer.code);
    code = with_variables(with_variable_renamed(code, "page", page));
    note_frame(read.params, code, page);
    return code;
}

std::optional<std::string> TestWriter::written(const ReadCall& read, const std::string& page) {
    auto locator_of = [&](std::string_view ref) -> std::string {
        TestTab* tab = find_tab(page);
        if (!tab) return {};
        auto known = tab->elements.find(ref);
        return known == tab->elements.end() ? "" : known->second;
    };
    auto code = read.steps.write({.params = read.params,
                                  .data = read.data,
                                  .code = read.answer.code,
                                  .answer = read.text,
                                  .page = page,
                                  .handlers = handlers_,
                                  .locator_of = locator_of,
                                  .numbered = [this](std::string_view name) { return numbered(name); }});
    if (!code) return std::nullopt;
    if (code->contains("<withheld>")) return std::nullopt;
    return with_variables(with_typed_passwords(read, *code));
}

// The code with texts that were typed into password fields read from the environment.
std::string TestWriter::with_typed_passwords(const ReadCall& read, std::string_view code) {
    const std::string& tool = read.call.summary.tool_name;
    std::vector<bool> typed;  // by statement: whether it typed a password
    if (tool == "browser_type" || tool == "fill") {
        typed.push_back(json::find_string(read.params, tool == "fill" ? "value" : "text") == kPassword);
    } else if (tool == "type") {
        // The first statement moves the caret.
        typed = {false, json::find_string(read.params, "text") == kPassword};
    } else if (const json::array* fields = json::find_array(read.params, "fields")) {
        for (const json::value& field : *fields)
            typed.push_back(field.is_object() && json::find_string(field.as_object(), "value") == kPassword);
    }
    std::vector<std::string> lines = split(code, '\n');
    std::size_t statement = 0;
    for (std::string& line : lines) {
        if (!line.starts_with("await ")) continue;
        if (statement < typed.size() && typed[statement])
            line = with_last_string(line, environment_variable(typed_variable(line)));
        ++statement;
    }
    if (lines.back().ends_with(')')) lines.back() += ';';
    return join(lines, "\n");
}

// Remembers the locator of the frame that the target is in.
void TestWriter::note_frame(const json::object& params, const std::string& code, const std::string& page) {
    constexpr std::string_view kFrame = ".contentFrame()";
    std::string target(target_of(params));
    std::size_t frame = code.rfind(kFrame), begin = code.find(page + ".");
    TestTab* tab = find_tab(page);
    if (!tab || !is_ref(target) || !target.starts_with('f') || frame == code.npos || begin >= frame) return;
    begin += page.size() + 1;
    tab->frames[target.substr(0, target.find('e'))] = code.substr(begin, frame + kFrame.size() - begin);
}

// A variable named after the field that the text was typed into.
std::string TestWriter::typed_variable(std::string_view statement) {
    std::vector<std::string_view> strings = strings_of(statement);
    password_ = "PASSWORD";
    if (strings.size() > 1) {
        std::string_view label = strings[strings.size() - 2];
        password_ = constant_name(label.substr(1, label.size() - 2));
    }
    if (secrets_.contains(password_)) password_ = "TYPED_" + password_;
    variables_.insert(password_);
    return password_;
}

std::string TestWriter::with_variables(std::string_view code) {
    std::string changed = with_environment(code, [&](std::string_view name) {
        std::string variable = name != "password"  ? std::string(name)
                               : password_.empty() ? "PASSWORD"
                                                   : password_;
        variables_.insert(variable);
        return variable;
    });
    for (const std::string& name : secrets_) {
        std::string from = "process.env['" + name + "']", to = environment_variable(name);
        for (std::size_t at = changed.find(from); at != changed.npos;
             at = changed.find(from, at + to.size())) {
            changed.replace(at, from.size(), to);
            variables_.insert(name);
            if (from == to) break;
        }
    }
    return changed;
}

std::string TestWriter::numbered(std::string_view name) {
    // The first page exists from the start.
    auto [it, is_new] = numbers_.try_emplace(std::string(name), name == "page" ? 1 : 0);
    int number = it->second++;
    return std::string(name) + (number == 0 ? "" : std::to_string(number));
}

void TestWriter::write(std::string line) { lines_.push_back(std::move(line)); }

std::vector<std::string> TestWriter::finish() {
    end_step();
    if (!has_code_) lines_.clear();
    return std::move(lines_);
}

}  // namespace cli
