// SPDX-License-Identifier: Apache-2.0
// A network namespace with only a loopback interface, for programs under test.
// Owned by one test; a child process holds it and is killed with it.
// Needs CAP_SYS_ADMIN; usable() returns whether the system grants it.
#pragma once

#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/tool_programs.hpp"

namespace farlink::test {

class NetworkNamespace {
public:
    NetworkNamespace() {
        std::array<int, 2> ready{};
        if (::pipe(ready.data()) != 0) return;
        holder_ = ::fork();
        if (holder_ == 0) hold(ready[1]);
        ::close(ready[1]);
        char said = 0;
        usable_ = ::read(ready[0], &said, 1) == 1 && said == 'y';
        ::close(ready[0]);
    }
    ~NetworkNamespace() {
        if (holder_ <= 0) return;
        ::kill(holder_, SIGKILL);
        ::waitpid(holder_, nullptr, 0);
    }
    NetworkNamespace(const NetworkNamespace &) = delete;
    NetworkNamespace &operator=(const NetworkNamespace &) = delete;

    [[nodiscard]] bool usable() const { return usable_; }
    [[nodiscard]] std::string path() const {
        return "/proc/" + std::to_string(holder_) + "/ns/net";
    }
    /// The command line that runs `words` in this namespace.
    [[nodiscard]] std::vector<std::string> inside(const std::vector<std::string> &words) const {
        return joined({"/usr/bin/nsenter", "--net=" + path(), "--"}, words);
    }

private:
    [[noreturn]] static void hold(int ready) {
        // The child must not outlive the test, even when the test is killed.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const bool made = ::unshare(CLONE_NEWNET) == 0 && raise_loopback();
        (void)!::write(ready, made ? "y" : "n", 1);
        while (true) ::pause();
    }
    [[nodiscard]] static bool raise_loopback() {
        const int control = ::socket(AF_INET, SOCK_DGRAM, 0);
        ifreq request{};
        std::memcpy(request.ifr_name, "lo", 2);
        request.ifr_flags = IFF_UP | IFF_RUNNING;
        const bool up = ::ioctl(control, SIOCSIFFLAGS, &request) == 0;
        ::close(control);
        return up;
    }

    pid_t holder_ = -1;
    bool usable_ = false;
};

}  // namespace farlink::test
