#include "tools/recording_code.h"

#include <algorithm>
#include <map>

#include "tools/codegen.h"
#include "tools/source_text.h"
#include "util/strings.h"

namespace tools {
namespace {

using engine::UserEvent;
using session::Codegen;
using Step = session::UserRecording::Step;

std::string indented(const std::string& code, std::string_view by) {
    std::vector<std::string> lines = split(code, '\n');
    for (std::string& line : lines) line.insert(0, by);
    return join(lines, "\n");
}

// An effect of an action that a program has to wait for.
enum class Outcome { Popup, Download };

// Wraps the code so that it waits for the effect and stores it in the variable `name`.
std::string waiting_for(Outcome outcome, const std::string& page, const std::string& name,
                        const std::string& code, Codegen language) {
    bool popup = outcome == Outcome::Popup;
    switch (language) {
        case Codegen::Python:
            return "with " + page + (popup ? ".expect_popup()" : ".expect_download()") + " as " + name +
                   "_info:\n" + indented(code, "    ") + "\n" + name + " = " + name + "_info.value";
        case Codegen::Java:
            return (popup ? "Page " : "Download ") + name + " = " + page +
                   (popup ? ".waitForPopup(" : ".waitForDownload(") + "() -> {\n" + indented(code, "  ") +
                   "\n});";
        case Codegen::CSharp:
            return "var " + name + " = await " + page +
                   (popup ? ".RunAndWaitForPopupAsync(" : ".RunAndWaitForDownloadAsync(") +
                   "async () =>\n{\n" + indented(code, "    ") + "\n});";
        case Codegen::TypeScript:
        case Codegen::None:
            break;
    }
    return "const " + name + "Promise = " + page + ".waitForEvent('" + (popup ? "popup" : "download") +
           "');\n" + code + "\nconst " + name + " = await " + name + "Promise;";
}

// The code that answers the next dialog of a page.
std::string answering(const UserEvent& dialog, const std::string& page, Codegen language) {
    bool accepts = dialog.kind == UserEvent::Kind::DialogAccepted;
    auto answer = [&](std::string_view accept, std::string_view dismiss, char mark) {
        if (!accepts) return std::string(dismiss) + "()";
        return std::string(accept) + "(" + (dialog.text.empty() ? "" : quote(dialog.text, mark)) + ")";
    };
    switch (language) {
        case Codegen::Python:
            return page + ".once(\"dialog\", lambda dialog: dialog." + answer("accept", "dismiss", '"') + ")";
        case Codegen::Java:
            return page + ".onceDialog(dialog -> dialog." + answer("accept", "dismiss", '"') + ");";
        case Codegen::CSharp:
            return page + ".Dialog += (_, dialog) => dialog." + answer("AcceptAsync", "DismissAsync", '"') +
                   ";";
        case Codegen::TypeScript:
        case Codegen::None:
            break;
    }
    return page + ".once('dialog', dialog => dialog." + answer("accept", "dismiss", '\'') + ");";
}

std::string opening(const std::string& page, Codegen language) {
    switch (language) {
        case Codegen::Python:
            return page + " = page.context.new_page()";
        case Codegen::Java:
            return "Page " + page + " = page.context().newPage();";
        case Codegen::CSharp:
            return "var " + page + " = await page.Context.NewPageAsync();";
        case Codegen::TypeScript:
        case Codegen::None:
            break;
    }
    return "const " + page + " = await page.context().newPage();";
}

Action::Kind kind_of(UserEvent::Kind kind) {
    switch (kind) {
        case UserEvent::Kind::Check:
            return Action::Kind::Check;
        case UserEvent::Kind::Uncheck:
            return Action::Kind::Uncheck;
        case UserEvent::Kind::Fill:
            return Action::Kind::Fill;
        case UserEvent::Kind::Press:
            return Action::Kind::Press;
        case UserEvent::Kind::Select:
            return Action::Kind::Select;
        case UserEvent::Kind::SetFiles:
            return Action::Kind::SetFiles;
        case UserEvent::Kind::Navigated:
            return Action::Kind::Navigate;
        default:
            return Action::Kind::Click;
    }
}

// Writes the steps in order, and remembers the names that it gave to pages.
class Writer {
public:
    Writer(Codegen language, const session::Secrets& secrets) : language_(language), secrets_(secrets) {}

    void write(const Step& step) {
        const std::string& page = mention(step);
        std::string code = action(step.event, page);
        if (!step.popup.empty())
            code = waiting_for(Outcome::Popup, page, name_page(step.popup), code, language_);
        if (step.download)
            code = waiting_for(Outcome::Download, page, numbered("download", downloads_++), code, language_);
        if (step.dialog) code = answering(*step.dialog, page, language_) + "\n" + code;
        written_.lines.push_back(std::move(code));
    }
    RecordedCode take() { return std::move(written_); }

private:
    static std::string numbered(std::string_view name, std::size_t number) {
        return std::string(name) + (number == 0 ? "" : std::to_string(number));
    }
    const std::string& name_page(const std::string& id) {
        return pages_.try_emplace(id, numbered("page", pages_.size())).first->second;
    }

    // Opens the page here when no step has opened it.
    const std::string& mention(const Step& step) {
        bool is_new = !pages_.empty() && !pages_.contains(step.page);
        const std::string& name = name_page(step.page);
        if (!is_new) return name;
        written_.lines.push_back(opening(name, language_));
        if (step.event.kind != UserEvent::Kind::Navigated)
            written_.lines.push_back(
                tools::to_code({.kind = Action::Kind::Navigate, .text = step.url, .page = name}, language_));
        return name;
    }

    std::string action(const UserEvent& event, const std::string& page) {
        Action action{.kind = kind_of(event.kind),
                      .locator = event.locator,
                      .text = event.text,
                      .options = event.values,
                      .click = event.click,
                      .position = event.position,
                      .page = page};
        std::string variable = event.kind == UserEvent::Kind::Fill ? variable_for(event) : "";
        if (variable.empty()) return tools::to_code(action, language_);
        action.text = secret_mark(variable);
        return with_secret_code(tools::to_code(action, language_), {variable}, language_);
    }

    // The environment variable for the typed text when it must not appear in the program.
    std::string variable_for(const UserEvent& event) {
        if (!event.secret.empty()) {
            if (std::ranges::find(written_.variables, event.secret) == written_.variables.end())
                written_.variables.push_back(event.secret);
            return event.secret;
        }
        for (const std::string& name : secrets_.names()) {
            if (secrets_.find(name) == event.text) return name;
        }
        return {};
    }

    Codegen language_;
    const session::Secrets& secrets_;
    std::map<std::string, std::string> pages_;  // by id
    std::size_t downloads_ = 0;
    RecordedCode written_;
};

}  // namespace

RecordedCode to_code(const std::vector<Step>& steps, Codegen language, const session::Secrets& secrets) {
    Writer writer(language, secrets);
    for (const Step& step : steps) writer.write(step);
    return writer.take();
}

}  // namespace tools
