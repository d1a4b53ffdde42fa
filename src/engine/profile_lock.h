// Only one browser at a time may use a profile directory, whatever the kind of browser.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "util/async.h"
#include "util/spawn.h"
#include "util/task.h"

namespace engine {

class ProfileLock;

// Either the lock, or the server of ours that holds it.
struct ProfileClaim {
    std::shared_ptr<ProfileLock> lock = {};
    std::string holder = {};  // for a sentence: "process 123"
};

// The process that has the profile open now, for a sentence: "process 123". Empty: none.
std::string profile_holder(const std::filesystem::path& profile);

// The kernel's lock on a profile directory. The browser's process inherits it, so it lasts until both server
// and browser are gone: a browser that outlives its killed server keeps the next one waiting.
class ProfileLock {
public:
    // Creates the directory. If a browser is already ending, waits for it until `deadline`. Fails if a
    // browser that is not ours has the profile open.
    static Task<ProfileClaim> claim(Loop& loop, std::filesystem::path profile, Deadline deadline);

    ProfileLock(const ProfileLock&) = delete;
    ~ProfileLock();

    int descriptor() const { return file_.get(); }
    // The browser's process. Its group must be gone before another browser may write the profile.
    void set_browser(pid_t browser);
    // Marks the browser as closing: other servers may wait for the profile.
    void set_leaving();

private:
    explicit ProfileLock(Descriptor file);
    void write(bool leaving) const;

    Descriptor file_;
    pid_t browser_ = 0;
};

}  // namespace engine
