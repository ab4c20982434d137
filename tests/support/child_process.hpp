// SPDX-License-Identifier: Apache-2.0
// A program under test: started with its output in pipes, read line by line, always reaped.
// Owned by one test; one thread.
// Every wait has a limit and fails the test at the limit; a program that still runs at the end of
// the test is killed by its process id.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

namespace farlink::test {

/// Limits of a program; 0: the limits of the test itself.
struct ChildLimits {
    rlim_t address_space_bytes = 0;
    int processors = 0;
};

class ChildProcess {
public:
    enum Stream : std::size_t { kOut = 0, kErr = 1 };

    explicit ChildProcess(std::vector<std::string> arguments, const ChildLimits &limits = {}) {
        std::array<std::array<int, 2>, 2> pipes{};
        for (auto &ends : pipes)
            if (::pipe2(ends.data(), O_CLOEXEC) != 0) ADD_FAILURE() << "pipe2";
        std::vector<char *> raw;
        for (std::string &argument : arguments) raw.push_back(argument.data());
        raw.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(pipes[kOut][1], STDOUT_FILENO);
            ::dup2(pipes[kErr][1], STDERR_FILENO);
            if (!obey(limits)) ::_exit(126);
            ::execv(raw[0], raw.data());
            ::_exit(127);
        }
        for (const Stream stream : {kOut, kErr}) {
            ::close(pipes[stream][1]);
            fds_[stream] = pipes[stream][0];
        }
    }
    ChildProcess(const ChildProcess &) = delete;
    ChildProcess &operator=(const ChildProcess &) = delete;
    ~ChildProcess() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
        for (const int fd : fds_)
            if (fd >= 0) ::close(fd);
    }

    /// The next line of a stream, without its end; empty when the stream has ended.
    std::string line(Stream stream) {
        std::string &text = unread_[stream];
        while (text.find('\n') == std::string::npos && fds_[stream] >= 0) read_more();
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string line = text.substr(0, end);
        text.erase(0, std::min(end + 1, text.size()));
        return line;
    }
    /// For poll(): the streams that have not ended. take_output() then reads the available output,
    /// so that a test can wait for many programs together and no program blocks on a full pipe.
    void add_streams(std::vector<pollfd> &polled) const {
        for (const int fd : fds_)
            if (fd >= 0) polled.push_back({fd, POLLIN, 0});
    }
    void take_output() {
        for (const Stream stream : {kOut, kErr}) {
            pollfd polled{fds_[stream], POLLIN, 0};
            while (polled.fd >= 0 && ::poll(&polled, 1, 0) == 1) {
                read_from(stream);
                polled.fd = fds_[stream];
            }
        }
    }
    [[nodiscard]] bool has_line(Stream stream) const {
        return unread_[stream].find('\n') != std::string::npos;
    }
    void signal(int number) const { ::kill(pid_, number); }
    /// It has ended by itself or by a signal; wait() then returns at once.
    [[nodiscard]] bool ended() const {
        siginfo_t info{};
        return pid_ <= 0 ||
               (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                info.si_pid == pid_);
    }
    /// Until wait() has returned.
    [[nodiscard]] pid_t pid() const { return pid_; }
    /// Processes that it has started.
    [[nodiscard]] std::vector<pid_t> children() const {
        const std::string pid = std::to_string(pid_);
        std::ifstream file("/proc/" + pid + "/task/" + pid + "/children");
        std::vector<pid_t> found;
        for (pid_t child = 0; file >> child;) found.push_back(child);
        return found;
    }
    /// Waits for the end of both streams and of the program. The exit code; -1 for any other end.
    int wait() {
        while (fds_[kOut] >= 0 || fds_[kErr] >= 0) read_more();
        if (pid_ <= 0) return -1;
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    /// Most memory that it has had so far, in bytes; before wait().
    [[nodiscard]] std::uint64_t peak_memory() const {
        std::ifstream status("/proc/" + std::to_string(pid()) + "/status");
        std::string word;
        std::uint64_t kib = 0;
        while (status >> word)
            if (word == "VmHWM:") status >> kib;
        return kib * 1024;
    }
    /// The output that line() has not returned.
    [[nodiscard]] const std::string &unread(Stream stream) const { return unread_[stream]; }

private:
    static constexpr int kLimitMs = 60'000;

    /// In the child, before the program begins.
    static bool obey(const ChildLimits &limits) {
        const rlimit space{limits.address_space_bytes, limits.address_space_bytes};
        if (limits.address_space_bytes > 0 && ::setrlimit(RLIMIT_AS, &space) != 0) return false;
        cpu_set_t allowed;
        if (limits.processors == 0) return true;
        if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
        int left = limits.processors;
        for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
            if (CPU_ISSET(cpu, &allowed) && left-- <= 0) CPU_CLR(cpu, &allowed);
        return ::sched_setaffinity(0, sizeof allowed, &allowed) == 0;
    }

    /// Reads from a stream that has output; at the limit it kills the program.
    void read_more() {
        std::array<pollfd, 2> polled{{{fds_[kOut], POLLIN, 0}, {fds_[kErr], POLLIN, 0}}};
        if (::poll(polled.data(), polled.size(), kLimitMs) == 0) {
            ADD_FAILURE() << "no output from the program within the limit; its errors: "
                          << unread_[kErr];
            ::kill(pid_, SIGKILL);
        }
        for (const Stream stream : {kOut, kErr})
            if (polled[stream].revents != 0) read_from(stream);
    }
    void read_from(Stream stream) {
        std::array<char, 4096> space;
        const ssize_t size = ::read(fds_[stream], space.data(), space.size());
        if (size > 0) {
            unread_[stream].append(space.data(), static_cast<std::size_t>(size));
        } else {
            ::close(fds_[stream]);
            fds_[stream] = -1;
        }
    }

    pid_t pid_ = -1;
    std::array<int, 2> fds_{-1, -1};
    std::array<std::string, 2> unread_;
};

}  // namespace farlink::test
