// Keeps answers within their size limit.
#include <algorithm>
#include <cerrno>
#include <unistd.h>

#include "tools/error_answer.h"
#include "tools/output_resources.h"
#include "tools/response.h"
#include "tools/result_limit.h"
#include "util/off_loop.h"
#include "util/strings.h"
#include "util/untrusted_mark.h"

namespace tools {
namespace {

// Shorter sections report what happened and stay.
constexpr std::size_t kShort = 4096;

Result<bool> write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0)
            return Error{.message = "The file could not be written.", .details = std::to_string(errno)};
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace

std::size_t Response::Section::size() const {
    std::size_t size = title.size() + fence.size();
    for (const std::string& line : lines) size += line.size() + 1;
    return size;
}

std::size_t Response::Section::wire_size() const {
    std::size_t size = title.size() + fence.size();
    for (const std::string& line : lines) size += tools::wire_size(line) + 2;
    return size;
}

std::string Response::print(const std::vector<Section>& sections) {
    std::vector<std::string> lines;
    for (const Section& section : sections) {
        lines.push_back("### " + section.title);
        if (!section.fence.empty()) lines.push_back("```" + section.fence);
        lines.insert(lines.end(), section.lines.begin(), section.lines.end());
        if (!section.fence.empty()) lines.emplace_back("```");
    }
    return join(lines, "\n");
}

Task<std::string> Response::printed() {
    std::size_t size = 0;
    for (const Section& section : sections_) size += section.size();
    if (size < kLargeText) co_return well_formed(session_.secrets().redact(print(sections_)));
    co_return co_await on_worker<std::string>(
        session_.loop(),
        [sections = std::move(sections_), redactor = session_.secrets().redactor()]() -> Result<std::string> {
            return well_formed(redactor.redact(print(sections)));
        });
}

Task<> Response::write_long_text(OutputFile file, std::string text) {
    if (text.size() < kLargeText) {
        co_await write_text(file, std::move(text));
        co_return;
    }
    written_.insert(file.path);
    session_.workspace().own(file.path);
    auto opened = std::make_shared<Descriptor>(co_await session_.workspace().create(file.path));
    std::size_t size = text.size();
    std::function<Result<bool>()> work =
        [opened, text = std::move(text), redactor = session_.secrets().redactor(),
         marks = session_.options().mark_untrusted]() mutable -> Result<bool> {
        std::string safe = well_formed(redactor.redact(std::move(text)));
        return write_all(opened->get(), marks ? UntrustedMark().around(safe) : safe);
    };
    co_await off_loop<bool>(session_.loop(), size, std::move(work));
}

Task<Response::Section> Response::left_out(Section section, std::size_t limit) {
    std::string name = to_lower(section.title);
    std::ranges::replace(name, ' ', '-');
    auto file = output_file({.prefix = name, .extension = section.fence == "yaml" ? "yml" : "txt"});
    std::size_t size = section.wire_size();
    Section shown{section.title, {"- This part is not shown. " + over_limit(size, limit)}};
    auto written =
        file ? co_await as_result(write_long_text(*file, join(section.lines, "\n"))) : file.error();
    if (!written) {
        shown.lines.push_back("- It could not be kept in a file: " + written.error().message);
        co_return shown;
    }
    shown.lines.push_back("- All of it: [" + section.title + "](" + file->shown + ")");
    // A client on another machine reads the file as a resource.
    if (auto link = output_link(session_.workspace(), file->path)) links_.push_back(std::move(*link));
    co_return shown;
}

Task<> Response::keep_within_limit() {
    auto limit = session_.options().budget.result_bytes;
    if (!limit) co_return;
    std::size_t size = 0;
    for (const Section& section : sections_) size += section.size();
    if (size * kMaxEscaped > *limit) {
        size = 0;
        for (const Section& section : sections_) size += section.wire_size();
    }
    while (size > *limit) {
        auto largest = std::ranges::max_element(sections_, {}, &Section::wire_size);
        std::size_t before = largest->wire_size();
        if (before <= kShort) break;
        std::size_t index = static_cast<std::size_t>(largest - sections_.begin());
        sections_[index] = co_await left_out(std::move(*largest), *limit);
        size = size - before + sections_[index].wire_size();
    }
    std::vector<Image> kept;
    for (Image& image : images_) {
        if (size + image.base64.size() > *limit) {
            add_section("Left out", {"- A picture. " + over_limit(image.base64.size(), *limit)});
            continue;
        }
        size += image.base64.size();
        kept.push_back(std::move(image));
    }
    images_ = std::move(kept);
}

// The answer is redacted already.
Task<json::value> Response::leave_out(Printed printed, std::size_t limit) {
    std::string hint = "Ask for less of it.";
    auto file = output_file({.prefix = "answer", .extension = "json"});
    if (!file) co_return too_large(printed.size, limit, std::move(hint));
    written_.insert(file->path);
    session_.workspace().own(file->path);
    auto opened = session_.workspace().create(file->path);
    if (!opened) co_return too_large(printed.size, limit, std::move(hint));
    auto target = std::make_shared<Descriptor>(std::move(*opened));
    std::size_t size = printed.text.size();
    std::function<Result<bool>()> work = [target, text = std::move(printed.text)] {
        return write_all(target->get(), text);
    };
    auto written = co_await as_result(off_loop<bool>(session_.loop(), size, std::move(work)));
    if (written) hint = "All of it is in " + file->shown + ".";
    co_return too_large(printed.size, limit, std::move(hint));
}

}  // namespace tools
