// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/process/service_notify.hpp"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace farlink {
namespace {

/// A service manager that does not read must not block the node.
constexpr timeval kSendLimit{.tv_sec = 1, .tv_usec = 0};

std::string variable(const char *name) {
    const char *value = ::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

/// 0 if it is not a number.
std::int64_t number(const std::string &text) {
    std::int64_t value = 0;
    const char *end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    return read.ec == std::errc() && read.ptr == end ? value : 0;
}

Duration watchdog_of_environment() {
    // A child process inherits the variables, but not the watchdog.
    const std::string pid = variable("WATCHDOG_PID");
    if (!pid.empty() && number(pid) != ::getpid()) return Duration::zero();
    const std::int64_t limit_us = number(variable("WATCHDOG_USEC"));
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1000;
    return limit_us > 0 && limit_us < kMost ? Duration(microseconds(limit_us)) : Duration::zero();
}

}  // namespace

ServiceNotify::ServiceNotify(const std::string &socket, Duration watchdog_limit)
    : address_(socket), watchdog_limit_(socket.empty() ? Duration::zero() : watchdog_limit) {
    if (address_.empty()) return;
    if (address_.front() == '@') address_.front() = '\0';
    socket_ = FileDescriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (socket_)
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &kSendLimit, sizeof kSendLimit);
}

ServiceNotify ServiceNotify::from_environment() {
    return {variable("NOTIFY_SOCKET"), watchdog_of_environment()};
}

// The manager compares the time with its own, of the same clock.
void ServiceNotify::reloading(TimePoint now) {
    const auto since =
        std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
    send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(since.count()));
}

// Errors are ignored: a missing service manager does not affect the node.
void ServiceNotify::send(std::string_view state) {
    sockaddr_un to{};
    if (!socket_ || address_.size() > sizeof to.sun_path) return;
    to.sun_family = AF_UNIX;
    std::ranges::copy(address_, to.sun_path);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
    static_cast<void>(::sendto(socket_.get(), state.data(), state.size(), MSG_NOSIGNAL,
                               reinterpret_cast<const sockaddr *>(&to), size));
}

ServiceWatchdog::ServiceWatchdog(boost::asio::io_context &io, ServiceNotify &notify,
                                 std::function<bool()> alive)
    : timer_(io), notify_(notify), alive_(std::move(alive)) {}

void ServiceWatchdog::start() {
    if (notify_.watchdog_limit() == Duration::zero()) return;
    notify_.alive();
    wait();
}

void ServiceWatchdog::wait() {
    timer_.expires_after(notify_.watchdog_limit() / 2);
    timer_.async_wait([this](const boost::system::error_code &error) {
        if (error) return;
        if (alive_()) notify_.alive();
        wait();
    });
}

}  // namespace farlink
