// The actions of a person, as a program in the user's language.
#pragma once

#include <string>
#include <vector>

#include "session/options.h"
#include "session/secrets.h"
#include "session/user_recording.h"

namespace tools {

struct RecordedCode {
    std::vector<std::string> lines;  // one for each step; some have several lines
    // The environment variables that the program reads for texts typed into password fields.
    std::vector<std::string> variables;
};

// The first page that is used is called `page`. Values of secrets are read from the environment as well.
RecordedCode to_code(const std::vector<session::UserRecording::Step>& steps, session::Codegen language,
                     const session::Secrets& secrets);

}  // namespace tools
