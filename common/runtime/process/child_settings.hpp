// SPDX-License-Identifier: Apache-2.0
// What a program that is started gets: standard input, words, and signals as a program begins with
// them.
// Owned by the caller of posix_spawn(), for that call.
// One thread.
#pragma once

#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace farlink {

/// Of arguments or an environment, with a null pointer behind them; they borrow.
[[nodiscard]] inline std::vector<char *> pointers_to(std::vector<std::string> &texts) {
    std::vector<char *> pointers;
    for (std::string &text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// No signal is blocked or ignored.
class ChildSettings {
public:
    /// `more_flags`: of posix_spawnattr_setflags().
    explicit ChildSettings(int standard_input, int more_flags = 0) {
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawn_file_actions_adddup2(&files, standard_input, STDIN_FILENO);
        ::posix_spawnattr_init(&attributes);
        sigset_t signals;
        ::sigemptyset(&signals);
        ::posix_spawnattr_setsigmask(&attributes, &signals);
        ::sigfillset(&signals);
        ::posix_spawnattr_setsigdefault(&attributes, &signals);
        const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | more_flags;
        ::posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
    }
    ~ChildSettings() {
        ::posix_spawn_file_actions_destroy(&files);
        ::posix_spawnattr_destroy(&attributes);
    }
    ChildSettings(const ChildSettings &) = delete;
    ChildSettings &operator=(const ChildSettings &) = delete;

    posix_spawn_file_actions_t files{};
    posix_spawnattr_t attributes{};
};

}  // namespace farlink
