// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/process/service_notify.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <cstddef>

#include "tests/support/temp_folder.hpp"

namespace farlink::test::service_notify_test {
namespace {

/// The service manager's end. Datagrams of this machine are there when send() returns.
class Manager {
public:
    explicit Manager(const std::string &socket)
        : descriptor_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
        std::string name = socket;
        if (name.front() == '@') name.front() = '\0';
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::ranges::copy(name, address.sun_path);
        const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
        EXPECT_EQ(::bind(descriptor_.get(), reinterpret_cast<const sockaddr *>(&address), size), 0);
    }
    /// The next datagram; empty when there is none.
    std::string next() {
        std::array<char, 256> text{};
        const ssize_t size = ::recv(descriptor_.get(), text.data(), text.size(), 0);
        return size < 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(size));
    }

private:
    FileDescriptor descriptor_;
};

/// Variables of the environment, as they were before when the test ends.
class Environment {
public:
    ~Environment() {
        for (const char *name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"})
            ::unsetenv(name);
    }
    static void set(const char *name, const std::string &value) {
        ::setenv(name, value.c_str(), 1);
    }
};

std::string abstract_name() {
    return "@farlink-test-" + std::to_string(::getpid());
}

TEST(ServiceNotify, TellsWhatHappensInOneDatagramEach) {
    const TempFolder folder;
    for (const std::string &socket : {folder / "notify", abstract_name()}) {
        Manager manager(socket);
        ServiceNotify notify(socket, Duration::zero());
        notify.ready();
        notify.stopping();
        EXPECT_EQ(manager.next(), "READY=1") << socket;
        EXPECT_EQ(manager.next(), "STOPPING=1") << socket;
        EXPECT_EQ(manager.next(), "");
    }
}

TEST(ServiceNotify, TakesTheAddressAndTheLimitFromTheEnvironment) {
    const Environment environment;
    Manager manager(abstract_name());
    Environment::set("NOTIFY_SOCKET", abstract_name());
    Environment::set("WATCHDOG_USEC", "30000000");
    EXPECT_EQ(ServiceNotify::from_environment().watchdog_limit(), seconds(30));
    Environment::set("WATCHDOG_PID", std::to_string(::getpid()));
    ServiceNotify notify = ServiceNotify::from_environment();
    EXPECT_EQ(notify.watchdog_limit(), seconds(30));
    notify.ready();
    EXPECT_EQ(manager.next(), "READY=1");
    // The watchdog of another process, and what is no limit.
    Environment::set("WATCHDOG_PID", std::to_string(::getppid()));
    EXPECT_EQ(ServiceNotify::from_environment().watchdog_limit(), Duration::zero());
    Environment::set("WATCHDOG_PID", "");
    for (const char *limit : {"", "-1", "soon", "30s", "9223372036854775807"}) {
        Environment::set("WATCHDOG_USEC", limit);
        EXPECT_EQ(ServiceNotify::from_environment().watchdog_limit(), Duration::zero()) << limit;
    }
}

TEST(ServiceNotify, GoesOnWithoutAManager) {
    ServiceNotify none("", seconds(1));
    EXPECT_EQ(none.watchdog_limit(), Duration::zero());
    none.ready();
    const TempFolder folder;
    ServiceNotify(folder / "nobody", seconds(1)).ready();
    ServiceNotify(std::string(200, 'x'), seconds(1)).ready();
    ServiceNotify(ServiceNotify::from_environment()).stopping();
}

TEST(ServiceWatchdog, TellsTheManagerWhileTheCallerIsAlive) {
    Manager manager(abstract_name());
    ServiceNotify notify(abstract_name(), milliseconds(2));
    boost::asio::io_context io;
    bool alive = true;
    int asked = 0;
    ServiceWatchdog watchdog(io, notify, [&] {
        ++asked;
        return alive;
    });
    watchdog.start();
    EXPECT_EQ(manager.next(), "WATCHDOG=1");
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_EQ(io.run_one(), 1U);
        EXPECT_EQ(manager.next(), "WATCHDOG=1");
    }
    alive = false;
    for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(io.run_one(), 1U);
    EXPECT_EQ(asked, 5);
    EXPECT_EQ(manager.next(), "");
    alive = true;
    EXPECT_EQ(io.run_one(), 1U);
    EXPECT_EQ(manager.next(), "WATCHDOG=1");
}

TEST(ServiceWatchdog, DoesNothingWithoutALimit) {
    Manager manager(abstract_name());
    ServiceNotify notify(abstract_name(), Duration::zero());
    boost::asio::io_context io;
    ServiceWatchdog watchdog(io, notify, [] { return true; });
    watchdog.start();
    EXPECT_EQ(io.run(), 0U);
    EXPECT_EQ(manager.next(), "");
}

}  // namespace
}  // namespace farlink::test::service_notify_test
