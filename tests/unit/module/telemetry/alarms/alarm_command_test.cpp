// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/alarms/alarm_command.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "common/runtime/clock.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::telemetry::alarm_command_test {
namespace {

namespace fs = std::filesystem;

/// A folder with a script, for one test.
class Script {
public:
    explicit Script(const std::string &body) {
        folder_.write("hook", "#!/bin/sh\n" + body + '\n');
        ::chmod(path().c_str(), 0700);
    }

    [[nodiscard]] std::string path() const { return folder_ / "hook"; }
    [[nodiscard]] std::string output() const {
        std::ifstream file(folder_ / "out");
        return {std::istreambuf_iterator<char>(file), {}};
    }

private:
    test::TempFolder folder_;
};

AlarmCommand::Run run_of(const std::string &json, const char *state = "raised") {
    return {json + '\n', "plan-ended", "critical", state};
}

bool run_until(boost::asio::io_context &io, const std::function<bool()> &condition) {
    const TimePoint end = monotonic_now() + seconds(10);
    while (!condition()) {
        if (monotonic_now() > end) return false;
        io.run_one_for(std::chrono::milliseconds(20));
    }
    return true;
}

/// Scripts work in their folder.
constexpr const char *kHere = "cd \"${0%/*}\"\n";

TEST(AlarmCommand, GetsTheAlarmOneAfterTheOther) {
    const Script script(
        std::string(kHere) + "read -r line\n" +
        "echo \"$FARLINK_ALARM_NAME $FARLINK_ALARM_SEVERITY $FARLINK_ALARM_STATE $line\" >> out");
    boost::asio::io_context io;
    AlarmCommand command(io, script.path());
    command.call(run_of(R"({"id":1})"));
    command.call(run_of(R"({"id":1})", "ended"));
    ASSERT_TRUE(run_until(io, [&] { return command.counts().done == 2; }));
    EXPECT_EQ(script.output(),
              "plan-ended critical raised {\"id\":1}\nplan-ended critical ended {\"id\":1}\n");
}

TEST(AlarmCommand, NoDescriptorOfTheNodeIsOpenInIt) {
    const Script script(std::string(kHere) + "ls /proc/self/fd > fds\ngrep -c . fds > out");
    const int leaked = ::dup(STDERR_FILENO);
    boost::asio::io_context io;
    AlarmCommand command(io, script.path());
    command.call(run_of("{}"));
    ASSERT_TRUE(run_until(io, [&] { return command.counts().done == 1; }));
    ::close(leaked);
    EXPECT_EQ(script.output(), "4\n");  // the three of any program, and that of ls
}

TEST(AlarmCommand, AnExitCodeOrAMissingProgramIsAFailure) {
    const Script script("exit 3");
    boost::asio::io_context io;
    AlarmCommand command(io, script.path());
    command.call(run_of("{}"));
    ASSERT_TRUE(run_until(io, [&] { return command.counts().failed == 1; }));
    AlarmCommand missing(io, script.path() + "-missing");
    missing.call(run_of("{}"));
    EXPECT_EQ(missing.counts().failed, 1U);
}

TEST(AlarmCommand, OneThatHangsIsKilledAndTheQueueIsBounded) {
    const Script script("sleep 1000 & sleep 1000");
    boost::asio::io_context io;
    AlarmCommand command(io, script.path(), milliseconds(100));
    constexpr std::size_t kMost = HookQueue<AlarmCommand::Run>::kMostWaiting;
    for (std::size_t i = 0; i < kMost + 11; ++i) command.call(run_of("{}"));
    EXPECT_EQ(command.counts().dropped, 10U);
    ASSERT_TRUE(run_until(io, [&] { return command.counts().failed >= 2; }));
    EXPECT_EQ(command.counts().done, 0U);
}

TEST(AlarmCommand, OneThatReadsNothingIsNoFailure) {
    const Script script("exit 0");
    boost::asio::io_context io;
    AlarmCommand command(io, script.path());
    command.call(run_of(std::string(20'000, 'x')));
    ASSERT_TRUE(run_until(io, [&] { return command.counts().done == 1; }));
}

TEST(AlarmCommand, MoreThanAPipeHoldsIsAFailure) {
    const Script script("exit 0");
    boost::asio::io_context io;
    AlarmCommand command(io, script.path());
    command.call(run_of(std::string(1'000'000, 'x')));
    EXPECT_EQ(command.counts().failed, 1U);
}

}  // namespace
}  // namespace farlink::telemetry::alarm_command_test
