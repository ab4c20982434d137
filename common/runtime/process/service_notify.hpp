// SPDX-License-Identifier: Apache-2.0
// Notifies a service manager by the protocol of sd_notify(3): ready, stopping, and heartbeats for a
// watchdog. Without a service manager no message is sent.
// Owned by the process's main thread, which alone uses it.
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
    /// `socket` is a path, or a name after an `@` (an abstract socket); empty: no manager.
    /// `watchdog_limit` is the maximum time between heartbeats; zero: no watchdog.
    ServiceNotify(const std::string &socket, Duration watchdog_limit);
    /// NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID, as the manager has set them.
    [[nodiscard]] static ServiceNotify from_environment();

    void ready() { send("READY=1"); }
    /// For `Type=notify-reload`: the configuration is read again; ready() follows.
    void reloading(TimePoint now);
    void stopping() { send("STOPPING=1"); }
    void alive() { send("WATCHDOG=1"); }
    /// Zero: there is no watchdog.
    [[nodiscard]] Duration watchdog_limit() const { return watchdog_limit_; }

private:
    void send(std::string_view state);

    FileDescriptor socket_;
    std::string address_;  ///< as `sun_path` holds it
    Duration watchdog_limit_;
};

/// Sends heartbeats to the watchdog, two in its limit, on the loop `io`, while `alive()` returns
/// true: if the loop or a module is stuck, the service manager restarts the node.
class ServiceWatchdog {
public:
    /// `notify` is borrowed.
    ServiceWatchdog(boost::asio::io_context &io, ServiceNotify &notify,
                    std::function<bool()> alive);

    /// Starts the heartbeats, when the process is ready; they continue while the loop runs.
    void start();

private:
    void wait();

    boost::asio::steady_timer timer_;
    ServiceNotify &notify_;
    std::function<bool()> alive_;
};

}  // namespace farlink
