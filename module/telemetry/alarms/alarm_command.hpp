// SPDX-License-Identifier: Apache-2.0
// The command: a program that is started when an alarm is raised and when it ends.
// Owned by AlarmDesk; the telemetry agent's loop and thread.
// The program gets the alarm as JSON on standard input and its name, severity and state in the
// environment. One runs at a time, at most 30 seconds; at most 100 alarms wait, others are dropped
// and counted. A failure is logged once until a run succeeds.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <string>

#include "module/telemetry/alarms/hook_queue.hpp"

namespace farlink::telemetry {

class AlarmCommand {
public:
    static constexpr seconds kLimit{30};

    struct Run {
        std::string json;
        std::string name;
        std::string severity;
        std::string state;  ///< "raised" or "ended"
    };

    /// `io` is borrowed. `limit` is for tests.
    AlarmCommand(boost::asio::io_context &io, std::string path, Duration limit = kLimit);
    ~AlarmCommand();

    void call(Run run);
    [[nodiscard]] const HookCounts &counts() const { return queue_.counts(); }

private:
    void start();
    [[nodiscard]] std::string spawn(const Run &run);
    void look();
    void look_again();
    void finish(const std::string &error);
    [[nodiscard]] std::string how_it_ended(int status) const;

    std::string path_;
    Duration limit_;
    HookQueue<Run> queue_;
    pid_t pid_ = 0;  ///< 0: none runs
    bool killed_ = false;
    TimePoint until_{};
    boost::asio::steady_timer timer_;
    HookLog log_;
};

}  // namespace farlink::telemetry
