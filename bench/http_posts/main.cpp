// SPDX-License-Identifier: Apache-2.0
// Sends bundles by POST over HTTP connections that are kept alive, and receives them by the local
// protocol. Prints what was accepted and received, and how long an answer took.
//   http_posts SOCKET PORT TOKEN SOURCE SECONDS BYTES CONNECTIONS
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <farlink/client/endpoint.hpp>

namespace {

using Clock = std::chrono::steady_clock;

struct Task {
    std::string socket;
    std::uint16_t port = 0;
    std::string token;
    std::string source;
    std::chrono::seconds duration{};
    std::size_t bytes = 0;
    std::size_t connections = 0;
};

std::uint64_t number_in(std::string_view text) {
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

class Poster {
public:
    Poster(const Task &task, const std::string &destination) : task_(task) {
        request_ = "POST /api/v1/bundles?source=" + task.source + "&destination=" + destination +
                   " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(task.port) +
                   "\r\nAuthorization: Bearer " + task.token +
                   "\r\nContent-Length: " + std::to_string(task.bytes) + "\r\n\r\n" +
                   std::string(task.bytes, 'x');
    }

    void run() {
        const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(task_.port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int on = 1;
        ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const auto *where = reinterpret_cast<const sockaddr *>(&address);
        const auto end = Clock::now() + task_.duration;
        if (::connect(descriptor, where, sizeof address) == 0)
            while (Clock::now() < end && post(descriptor)) {
            }
        ::close(descriptor);
    }
    [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
    [[nodiscard]] std::uint64_t refused() const { return refused_; }
    [[nodiscard]] const std::vector<double> &times() const { return times_; }

private:
    bool post(int descriptor) {
        const auto begin = Clock::now();
        if (::send(descriptor, request_.data(), request_.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(request_.size()))
            return false;
        std::string answer;
        while (!whole(answer)) {
            char octets[4096];
            const ssize_t size = ::recv(descriptor, octets, sizeof octets, 0);
            if (size <= 0) return false;
            answer.append(octets, static_cast<std::size_t>(size));
        }
        times_.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
        const bool good = answer.starts_with("HTTP/1.1 201");
        if (!good && refused_ == 0) std::fprintf(stderr, "%s\n", answer.c_str());
        good ? ++accepted_ : ++refused_;
        return true;
    }

    static bool whole(std::string_view answer) {
        constexpr std::string_view kLength = "Content-Length: ";
        const std::size_t head = answer.find("\r\n\r\n");
        const std::size_t length = answer.find(kLength);
        if (head == std::string_view::npos || length == std::string_view::npos) return false;
        return answer.size() >= head + 4 + number_in(answer.substr(length + kLength.size(), 10));
    }

    const Task &task_;
    std::string request_;
    std::vector<double> times_;
    std::uint64_t accepted_ = 0;
    std::uint64_t refused_ = 0;
};

double share_of(std::vector<double> &times, double share) {
    if (times.empty()) return 0;
    const auto at =
        times.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(times.size() - 1));
    std::nth_element(times.begin(), at, times.end());
    return *at * 1e6;
}

int run(const Task &task) {
    farlink::client::ConnectOptions options;
    options.address = task.socket;
    options.registration.window = 1024;
    auto far = farlink::client::Endpoint::connect(std::move(options));
    if (!far) {
        std::fputs("http_posts: no connection to the node\n", stderr);
        return 1;
    }
    std::vector<Poster> posters(task.connections, Poster(task, far->id()));
    std::uint64_t received = 0;
    const auto begin = Clock::now();
    std::vector<std::thread> threads;
    for (Poster &poster : posters) threads.emplace_back([&poster] { poster.run(); });
    std::thread receiving([&] {
        // Ends a second after the last one.
        while (const auto adus = far->receive_many(1024, std::chrono::seconds(1))) {
            received += adus->size();
            far->accept_many(*adus);
        }
    });
    for (std::thread &thread : threads) thread.join();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    receiving.join();
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;
    std::vector<double> times;
    for (const Poster &poster : posters) {
        accepted += poster.accepted();
        refused += poster.refused();
        times.insert(times.end(), poster.times().begin(), poster.times().end());
    }
    std::printf(
        "{\"sent\":%llu,\"received\":%llu,\"refused\":%llu,\"seconds\":%.6f,"
        "\"p50_us\":%.1f,\"p99_us\":%.1f}\n",
        static_cast<unsigned long long>(accepted + refused),
        static_cast<unsigned long long>(received), static_cast<unsigned long long>(refused),
        seconds, share_of(times, 0.5), share_of(times, 0.99));
    return 0;
}

}  // namespace

int main(int argc, char **argv) {
    const std::span<char *> arguments(argv, static_cast<std::size_t>(argc));
    if (argc != 8) return 2;
    return run({arguments[1], static_cast<std::uint16_t>(number_in(arguments[2])), arguments[3],
                arguments[4], std::chrono::seconds(number_in(arguments[5])),
                number_in(arguments[6]), number_in(arguments[7])});
}
