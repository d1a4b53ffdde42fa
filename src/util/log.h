// Log lines with fields, as text or JSON, to standard error or a file; never to standard output.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "util/result.h"

class Redactor;

enum class LogLevel { Trace, Debug, Info, Warn, Error };
enum class LogFormat { Text, Json };

struct LogOptions {
    LogLevel level = LogLevel::Info;
    LogFormat format = LogFormat::Text;
    std::filesystem::path file = {};  // empty: standard error
    std::string channels = {};        // enabled channels as in DEBUG: "pw:mcp:test,pw:mcp:*"
};

// One key of a log line. Converts from texts and numbers.
struct LogField {
    std::string_view key;
    std::string value;
    bool quoted = true;

    LogField(std::string_view name, std::string_view text) : key(name), value(text) {}
    LogField(std::string_view name, const char* text) : key(name), value(text) {}
    LogField(std::string_view name, const std::string& text) : key(name), value(text) {}
    template <class Number>
        requires std::is_arithmetic_v<Number>
    LogField(std::string_view name, Number number)
        : key(name), value(std::to_string(number)), quoted(false) {}
};

// Writes whole lines without ever blocking on a slow reader: lines that do not fit are dropped and counted.
class Log {
public:
    static Result<Log> create(const LogOptions& options);
    // A log that discards every line, for tests and tools.
    static Log silent();

    Log(Log&& other) noexcept
        : options_(std::move(other.options_)),
          fd_(std::exchange(other.fd_, -1)),
          hidden_(std::move(other.hidden_)),
          redactor_(std::move(other.redactor_)) {}
    ~Log();

    bool writes(LogLevel level) const { return fd_ >= 0 && level >= options_.level; }

    void trace(std::string_view message, std::initializer_list<LogField> fields = {}) {
        write(LogLevel::Trace, message, fields);
    }
    void debug(std::string_view message, std::initializer_list<LogField> fields = {}) {
        write(LogLevel::Debug, message, fields);
    }
    void info(std::string_view message, std::initializer_list<LogField> fields = {}) {
        write(LogLevel::Info, message, fields);
    }
    void warn(std::string_view message, std::initializer_list<LogField> fields = {}) {
        write(LogLevel::Warn, message, fields);
    }
    void error(std::string_view message, std::initializer_list<LogField> fields = {}) {
        write(LogLevel::Error, message, fields);
    }

    // Writes a line to a channel in the format of Node's `debug`, for readers who follow one part of the
    // program; see LogOptions::channels.
    void channel(std::string_view name, std::string_view message);

    // Writes a line of another program unchanged.
    void verbatim(std::string_view line) {
        if (fd_ >= 0) write_line(std::string(line));
    }

    // Replaces this text by "***" in all later lines, however it is written. Of very many texts, the first
    // and the last ones are hidden.
    void hide(std::string secret);

private:
    Log(LogOptions options, int fd) : options_(std::move(options)), fd_(fd) {}
    void write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields);
    void write_line(std::string line);

    LogOptions options_;
    int fd_;
    std::vector<std::string> hidden_;
    mutable std::mutex hiding_;  // protects the members before and after it
    std::shared_ptr<const Redactor> redactor_;
    std::size_t dropped_ = 0;
};
