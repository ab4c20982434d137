// SPDX-License-Identifier: Apache-2.0
// What a service manager is told of this process, by the protocol of sd_notify(3): it is ready, it
// ends, and, for a watchdog, that it still works. Without a service manager nothing is sent.
// Owned by whoever supervises the process; its thread only.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "common/base/time.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink {

class ServiceNotify {
public:
    /// `socket` is a path, or a name after an `@` (an abstract socket); empty: nobody is told.
    /// `watchdog_limit` is how long the process may be silent; zero: as long as it likes.
    ServiceNotify(const std::string &socket, Duration watchdog_limit);
    /// NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID, as the manager has set them.
    [[nodiscard]] static ServiceNotify from_environment();

    void ready() { send("READY=1"); }
    void stopping() { send("STOPPING=1"); }
    void alive() { send("WATCHDOG=1"); }
    /// Zero: no watchdog waits for alive().
    [[nodiscard]] Duration watchdog_limit() const { return watchdog_limit_; }

private:
    void send(std::string_view state);

    FileDescriptor socket_;
    std::string address_;  ///< as `sun_path` holds it
    Duration watchdog_limit_;
};

/// Tells the watchdog twice in its limit, on the loop `io`, as long as `alive()` says so: a loop
/// that is stuck, or a caller that finds its modules stuck, ends in a restart by the manager.
class ServiceWatchdog {
public:
    /// `notify` is borrowed.
    ServiceWatchdog(boost::asio::io_context &io, ServiceNotify &notify,
                    std::function<bool()> alive);

    /// When the process is ready: until then it may take its time. Goes on as long as the loop
    /// does.
    void start();

private:
    void wait();

    boost::asio::steady_timer timer_;
    ServiceNotify &notify_;
    std::function<bool()> alive_;
};

}  // namespace farlink
