// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/alarms/alarm_command.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "common/runtime/clock.hpp"
#include "common/runtime/file_descriptor.hpp"
#include "common/runtime/process/child_settings.hpp"

namespace farlink::telemetry {
namespace {

constexpr milliseconds kLookEvery{50};
constexpr int kFirstInherited = 3;

std::string error_text(int number) {
    return std::generic_category().message(number);
}

/// The reading end of a pipe with the text, which fits into its buffer of 64 KiB.
FileDescriptor pipe_with(const std::string &text) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return {};
    FileDescriptor reading(ends[0]);
    const FileDescriptor writing(ends[1]);
    const ssize_t written = ::write(writing.get(), text.data(), text.size());
    if (written != static_cast<ssize_t>(text.size())) {
        errno = EMSGSIZE;
        return {};
    }
    // The program reads it as any other file.
    ::fcntl(reading.get(), F_SETFL, 0);
    return reading;
}

/// The environment of this process without what it has of alarms, and `more`.
std::vector<std::string> environment_with(const std::vector<std::string> &more) {
    std::vector<std::string> all;
    for (char **each = ::environ; each != nullptr && *each != nullptr; ++each)
        if (std::strncmp(*each, "FARLINK_ALARM_", 14) != 0 &&
            std::strncmp(*each, "NOTIFY_SOCKET=", 14) != 0)
            all.emplace_back(*each);
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace

AlarmCommand::AlarmCommand(boost::asio::io_context &io, std::string path, Duration limit)
    : path_(std::move(path)), limit_(limit), timer_(io), log_("alarms.command") {}

AlarmCommand::~AlarmCommand() {
    if (pid_ == 0) return;
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

void AlarmCommand::call(Run run) {
    queue_.add(std::move(run));
    if (pid_ == 0) start();
}

void AlarmCommand::start() {
    while (const auto run = queue_.next()) {
        const std::string error = spawn(*run);
        if (error.empty()) return look_again();
        queue_.count(false);
        log_.note(error);
    }
}

std::string AlarmCommand::spawn(const Run &run) {
    const FileDescriptor input = pipe_with(run.json);
    if (!input) return path_ + ": cannot create a pipe: " + error_text(errno);
    ChildSettings settings(input.get(), POSIX_SPAWN_SETPGROUP);
    // Standard output may carry the counters of the node.
    ::posix_spawn_file_actions_addopen(&settings.files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&settings.files, kFirstInherited);
    std::vector<std::string> words{path_};
    std::vector<std::string> environment = environment_with(
        {"FARLINK_ALARM_NAME=" + run.name, "FARLINK_ALARM_SEVERITY=" + run.severity,
         "FARLINK_ALARM_STATE=" + run.state});
    const int error = ::posix_spawn(&pid_, path_.c_str(), &settings.files, &settings.attributes,
                                    pointers_to(words).data(), pointers_to(environment).data());
    if (error != 0) {
        pid_ = 0;
        return path_ + ": cannot start the program: " + error_text(error);
    }
    killed_ = false;
    until_ = monotonic_now() + limit_;
    return {};
}

void AlarmCommand::look_again() {
    timer_.expires_after(kLookEvery);
    timer_.async_wait([this](const boost::system::error_code &error) {
        if (!error) look();
    });
}

void AlarmCommand::look() {
    int status = 0;
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == pid_) return finish(how_it_ended(status));
    if (ended < 0)
        return finish(path_ + ": cannot read the exit code of the program: " + error_text(errno));
    if (!killed_ && monotonic_now() >= until_) {
        killed_ = true;
        ::kill(-pid_, SIGKILL);
    }
    look_again();
}

std::string AlarmCommand::how_it_ended(int status) const {
    if (killed_)
        return path_ + ": killed after " +
               std::to_string(std::chrono::duration_cast<seconds>(limit_).count()) + " s";
    if (WIFSIGNALED(status))
        return path_ + ": terminated by a signal: " + ::strsignal(WTERMSIG(status));
    if (WEXITSTATUS(status) == 0) return {};
    return path_ + ": ended with exit code " + std::to_string(WEXITSTATUS(status));
}

void AlarmCommand::finish(const std::string &error) {
    pid_ = 0;
    queue_.count(error.empty());
    log_.note(error);
    start();
}

}  // namespace farlink::telemetry
