// The record of calls, and how much of it an answer shows.
#pragma once

#include "config/option.h"

namespace config {

inline constexpr Option kRecordOptions[] = {
    {.key = "store.enabled",
     .type = Type::Bool,
     .flag = "record",
     .default_value = "true",
     .help = "Keep every call in a database, to be read back later."},
    {.key = "store.path",
     .type = Type::Path,
     .flag = "record-path",
     .value = "<file>",
     .other_variables = "DATABASE_PATH",
     .dotenv = FromDotenv::Yes,
     .help = "Database of the record, which several servers may write. Unless given, record.db in the state "
             "directory."},
    {.key = "store.durability",
     .type = Type::Choice,
     .choices = "normal|full",
     .default_value = "normal",
     .help = "Whether a call waits until its record is on disk."},
    {.key = "store.maxAge",
     .type = Type::Duration,
     .default_value = "2592000000",
     .help = "How long the record goes back; 0 for ever."},
    {.key = "store.maxBytes",
     .type = Type::Integer,
     .default_value = "1073741824",
     .help = "How large the record grows; 0 without limit."},
    {.key = "store.keyFile",
     .type = Type::Path,
     .help =
         "Key to encrypt stored session state with. Unless given, beside the database; made when missing."},
    {.key = "session.response",
     .type = Type::Choice,
     .flag = "response",
     .value = "<how>",
     .choices = "full|ref|delta",
     .default_value = "full",
     .help = "Whether an answer shows everything, a reference to it, or what changed on the page. A call's "
             "_response argument goes before it."},
    {.key = "session.maxOutputChars",
     .type = Type::Integer,
     .flag = "max-output-chars",
     .value = "<count>",
     .min = 1,
     .help = "Longest answer; a longer one shows what changed, an outline or a reference, and says so."},
    {.key = "session.outputBudget",
     .type = Type::Integer,
     .flag = "output-budget",
     .value = "<count>",
     .min = 1,
     .help = "Characters of all answers of a session together; beyond them answers are references."},
};

}  // namespace config
