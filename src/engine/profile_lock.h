// A profile directory is one browser's at a time, whatever the kind of browser.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "util/async.h"
#include "util/spawn.h"
#include "util/task.h"

namespace engine {

class ProfileLock;

// The lock, or who has it: a server of ours.
struct ProfileClaim {
    std::shared_ptr<ProfileLock> lock = {};
    std::string holder = {};  // for a sentence: "process 123"
};

// The kernel's lock on a profile directory. The browser's process inherits it, so that it lasts until both of
// us are gone: a browser that outlives its killed server for a moment keeps the next server waiting.
class ProfileLock {
public:
    // Makes the directory. Waits until `deadline` for a browser that is ending already. Fails when a browser
    // that is none of ours has the profile open.
    static Task<ProfileClaim> claim(Loop& loop, std::filesystem::path profile, Deadline deadline);

    ProfileLock(const ProfileLock&) = delete;
    ~ProfileLock();

    int descriptor() const { return file_.get(); }
    // The browser's process, whose group has to be gone before anybody else writes the profile.
    void set_browser(pid_t browser);
    // The browser is closing: whoever wants the profile may wait for it.
    void set_leaving();

private:
    explicit ProfileLock(Descriptor file);
    void write(bool leaving) const;

    Descriptor file_;
    pid_t browser_ = 0;
};

}  // namespace engine
