// SPDX-License-Identifier: Apache-2.0
// Datagrams at a rate to one port, taken at another: how many are lost, and how long they take.
// First directly, then through what lies between the ports.
//
//     tunnel ENTRY_PORT EXIT_PORT SECONDS BYTES DATAGRAMS_PER_SECOND
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "cla/io/datagram_io.hpp"
#include "cla/io/datagram_options.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using namespace farlink;

constexpr std::uint64_t kSocketBytes = 32 * 1024 * 1024;
constexpr std::size_t kMostBytes = 65'000;
constexpr timespec kStep{0, 50'000};
/// Nothing more comes then.
constexpr std::chrono::seconds kQuiet{1};

struct Task {
    std::uint16_t exit = 0;
    double seconds = 1;
    std::size_t bytes = 1200;
    double rate = 100'000;
};

struct Mark {
    std::uint64_t number = 0;
    std::int64_t sent_ns = 0;
};

std::uint64_t number_in(std::string_view text) {
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::int64_t now_ns() {
    return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

sockaddr_in local(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int opened() {
    const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    cla::set_receive_buffer(fd, kSocketBytes);
    cla::set_send_buffer(fd, kSocketBytes);
    return fd;
}

struct Received {
    std::uint64_t disordered = 0;
    std::vector<std::int64_t> taken_ns;

    void take(const Mark &mark) {
        if (mark.number != taken_ns.size() + disordered_by_) {
            ++disordered;
            disordered_by_ = mark.number - taken_ns.size();
        }
        taken_ns.push_back(now_ns() - mark.sent_ns);
    }
    [[nodiscard]] double within_us(double share) {
        if (taken_ns.empty()) return 0;
        const auto at = taken_ns.begin() + static_cast<std::ptrdiff_t>(
                                               share * static_cast<double>(taken_ns.size() - 1));
        std::nth_element(taken_ns.begin(), at, taken_ns.end());
        return static_cast<double>(*at) / 1e3;
    }

private:
    std::uint64_t disordered_by_ = 0;
};

/// Until nothing has come for a while.
void receive(int fd, Received &received) {
    const timeval quiet{kQuiet.count(), 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &quiet, sizeof quiet);
    std::vector<std::uint8_t> space(kMostBytes);
    while (::recv(fd, space.data(), space.size(), 0) >= static_cast<ssize_t>(sizeof(Mark))) {
        Mark mark;
        do {
            std::memcpy(&mark, space.data(), sizeof mark);
            received.take(mark);
        } while (::recv(fd, space.data(), space.size(), MSG_DONTWAIT) >=
                 static_cast<ssize_t>(sizeof mark));
    }
}

/// The number of datagrams that were sent.
std::uint64_t send(int fd, const Task &task, double seconds) {
    std::vector<std::uint8_t> octets(task.bytes);
    const auto begin = Clock::now();
    std::uint64_t sent = 0;
    for (;;) {
        const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
        const auto due = static_cast<std::uint64_t>(std::min(passed, seconds) * task.rate);
        for (; sent < due; ++sent) {
            const Mark mark{sent, now_ns()};
            std::memcpy(octets.data(), &mark, sizeof mark);
            if (::send(fd, octets.data(), octets.size(), 0) < 0) std::perror("send");
        }
        if (passed >= seconds) return sent;
        (void)::ppoll(nullptr, 0, &kStep, nullptr);  // until the next ones are due
    }
}

struct Run {
    std::uint64_t sent = 0;
    Received received{};
};

Run run(const Task &task, int exit_socket, std::uint16_t to, double seconds) {
    Run result;
    const sockaddr_in address = local(to);
    const int fd = opened();
    if (::connect(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
        std::perror("connect");
    std::thread receiving([&] { receive(exit_socket, result.received); });
    result.sent = send(fd, task, seconds);
    receiving.join();
    ::close(fd);
    return result;
}

}  // namespace

int main(int argc, char **argv) {
    const std::span<char *> words(argv, static_cast<std::size_t>(argc));
    if (argc != 6) return 2;
    const auto entry = static_cast<std::uint16_t>(number_in(words[1]));
    const Task task{static_cast<std::uint16_t>(number_in(words[2])),
                    static_cast<double>(number_in(words[3])),
                    std::clamp<std::size_t>(number_in(words[4]), sizeof(Mark), kMostBytes),
                    static_cast<double>(number_in(words[5]))};
    const int exit_socket = opened();
    const sockaddr_in address = local(task.exit);
    if (::bind(exit_socket, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0) {
        std::perror("bind");
        return 1;
    }
    Run direct = run(task, exit_socket, task.exit, 1);
    Run tunnel = run(task, exit_socket, entry, task.seconds);
    const double direct_us = direct.received.within_us(0.5);
    const double p50_us = tunnel.received.within_us(0.5);
    std::printf(
        "{\"sent\":%llu,\"received\":%zu,\"disordered\":%llu,\"seconds\":%.3f,\"p50_us\":%.1f,"
        "\"p99_us\":%.1f,\"direct_p50_us\":%.1f,\"added_p50_us\":%.1f}\n",
        static_cast<unsigned long long>(tunnel.sent), tunnel.received.taken_ns.size(),
        static_cast<unsigned long long>(tunnel.received.disordered), task.seconds, p50_us,
        tunnel.received.within_us(0.99), direct_us, p50_us - direct_us);
    return 0;
}
