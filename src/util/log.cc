#include "util/log.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <poll.h>
#include <unistd.h>

#include "util/json.h"
#include "util/redactor.h"
#include "util/strings.h"
#include "util/time_text.h"

namespace {

constexpr std::string_view kLevelNames[] = {"trace", "debug", "info", "warn", "error"};

// Keeps text lines on one line, whatever a client or a page put into a field.
std::string one_line(std::string_view text) {
    std::string line;
    for (char c : text) line += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    return line;
}

std::string text_line(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
    std::string line = utc_text_now();
    line.append(" ").append(kLevelNames[static_cast<int>(level)]).append(" ").append(one_line(message));
    for (const LogField& field : fields) {
        line.append(" ").append(field.key).append("=");
        std::string value = one_line(field.value);
        bool needs_quotes = value.empty() || value.find_first_of(" \"=") != std::string::npos;
        line += needs_quotes ? "\"" + value + "\"" : value;
    }
    return line;
}

std::string json_line(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
    std::string line = "{\"time\":\"" + utc_text_now() + "\",\"level\":\"";
    line.append(kLevelNames[static_cast<int>(level)]).append("\",\"message\":");
    json::append_string(line, message);
    for (const LogField& field : fields) {
        line += ',';
        json::append_string(line, field.key);
        line += ':';
        if (field.quoted) {
            json::append_string(line, field.value);
        } else {
            line += field.value;
        }
    }
    return line + "}";
}

}  // namespace

Result<Log> Log::create(const LogOptions& options) {
    if (options.file.empty()) return Log(options, STDERR_FILENO);
    int fd = ::open(options.file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "Cannot write the log file " + options.file.string() + ": " +
                                std::strerror(errno) + ".",
                     .hint = "Give logging.file a path in a directory this user may write to."};
    }
    return Log(options, fd);
}

Log Log::silent() { return Log({}, -1); }

Log::~Log() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
}

void Log::hide(std::string secret) {
    // The first secrets are those of the configuration.
    constexpr std::size_t kMaxHidden = 500, kAlways = 250;
    std::scoped_lock lock(hiding_);
    if (secret.empty() || std::ranges::find(hidden_, secret) != hidden_.end()) return;
    if (hidden_.size() >= kMaxHidden) hidden_.erase(hidden_.begin() + kAlways);
    hidden_.push_back(std::move(secret));
    std::map<std::string, std::string> values;
    for (const std::string& each : hidden_) values.emplace(std::to_string(values.size()), each);
    redactor_ = std::make_shared<const Redactor>(values);
}

void Log::channel(std::string_view name, std::string_view message) {
    if (fd_ < 0 || options_.channels.empty()) return;
    for (const std::string& wanted : split(options_.channels, ',')) {
        std::string_view pattern = trim(wanted);
        bool matches = pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                              : name == pattern;
        if (matches) return write_line(std::string(name) + " " + one_line(message));
    }
}

void Log::write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
    if (!writes(level)) return;
    if (dropped_ > 0) {
        std::size_t count = std::exchange(dropped_, 0);
        write(LogLevel::Warn, "log lines were dropped because no reader took them", {{"count", count}});
        if (dropped_ > 0) dropped_ += count;
    }
    write_line(options_.format == LogFormat::Json ? json_line(level, message, fields)
                                                  : text_line(level, message, fields));
}

void Log::write_line(std::string line) {
    std::shared_ptr<const Redactor> redactor;
    {
        std::scoped_lock lock(hiding_);
        redactor = redactor_;
    }
    if (redactor && options_.format == LogFormat::Json)
        line = redactor->redact_json(std::move(line), Redactor::Numbers::Hide, "***");
    else if (redactor)
        line = redactor->redact(std::move(line), "***");
    // A pipe with free space takes up to PIPE_BUF bytes at once, so a line of that size never blocks.
    constexpr std::size_t kMaxLine = 4096;
    if (line.size() >= kMaxLine) line.resize(kMaxLine - 1);
    line += '\n';
    pollfd ready{fd_, POLLOUT, 0};
    if (::poll(&ready, 1, 0) <= 0 || !(ready.revents & POLLOUT)) {
        ++dropped_;
        return;
    }
    ssize_t written = ::write(fd_, line.data(), line.size());
    if (written < 0) ++dropped_;
}
