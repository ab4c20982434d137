// SPDX-License-Identifier: Apache-2.0
// Two applications of one node: ADUs from one to the other, each with its number. Prints what was
// lost, how long it took, and for one ADU at a time how long the node took to accept each.
//   applications SOCKET SECONDS BYTES WINDOW
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <farlink/client/endpoint.hpp>

namespace {

using namespace farlink::client;
using Clock = std::chrono::steady_clock;

/// Given to send_many() at a time: enough to fill any window.
constexpr std::size_t kRun = 4096;
constexpr std::size_t kRunBytes = 64 * 1024 * 1024;
constexpr std::chrono::seconds kLimit{30};

struct Task {
    std::string socket;
    std::chrono::seconds duration{};
    std::size_t bytes = 0;
    std::uint32_t window = 1;
};

std::uint64_t number_in(std::string_view text) {
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// With a service of the node's choice.
Result<Endpoint> connect(const Task &task) {
    ConnectOptions options;
    options.address = task.socket;
    options.registration.window = task.window;
    return Endpoint::connect(std::move(options));
}

/// What the receiver has: the numbers from 0 on, each once.
struct Received {
    std::uint64_t next = 0;
    std::uint64_t disordered = 0;

    void add(const Adu &adu) {
        std::uint64_t number = 0;
        std::memcpy(&number, adu.payload.data(), std::min(sizeof number, adu.payload.size()));
        disordered += number != next++ ? 1 : 0;
    }
};

class Sender {
public:
    Sender(const Task &task, Endpoint &from, std::string to)
        : task_(task), from_(from), to_(std::move(to)) {
        const std::size_t run =
            task.window == 1 ? 1 : std::clamp<std::size_t>(kRunBytes / task.bytes, 1, kRun);
        payloads_.assign(run, std::vector<std::uint8_t>(task.bytes));
        for (const auto &payload : payloads_) messages_.push_back({to_, payload});
    }

    void run() {
        const auto begin = Clock::now();
        while (failed_ == 0 && seconds_since(begin) < static_cast<double>(task_.duration.count())) {
            for (auto &payload : payloads_) {
                std::memcpy(payload.data(), &sent_, sizeof sent_);
                ++sent_;
            }
            const auto before = Clock::now();
            for (const Sent &sent : from_.send_many(messages_, kLimit))
                failed_ += sent.error ? 1 : 0;
            if (task_.window == 1) accepted_after_.push_back(seconds_since(before));
        }
    }
    [[nodiscard]] std::uint64_t sent() const { return sent_; }
    [[nodiscard]] std::uint64_t failed() const { return failed_; }
    /// The share of ADUs that were accepted within it, in microseconds.
    [[nodiscard]] double accepted_within(double share) {
        if (accepted_after_.empty()) return 0;
        const auto place =
            static_cast<std::ptrdiff_t>(share * static_cast<double>(accepted_after_.size() - 1));
        const auto at = accepted_after_.begin() + place;
        std::nth_element(accepted_after_.begin(), at, accepted_after_.end());
        return *at * 1e6;
    }

private:
    const Task &task_;
    Endpoint &from_;
    std::string to_;
    std::vector<std::vector<std::uint8_t>> payloads_;
    std::vector<Message> messages_;
    std::vector<double> accepted_after_;
    std::uint64_t sent_ = 0;
    std::uint64_t failed_ = 0;
};

int run(const Task &task) {
    auto near = connect(task);
    auto far = connect(task);
    if (!near || !far) {
        std::fputs("applications: no connection to the node\n", stderr);
        return 1;
    }
    // Until its first receive it is not registered, and what is sent to it waits in storage.
    if (far->receive_many(1, std::chrono::milliseconds(0))) return 1;
    Sender sender(task, *near, far->id());
    Received received;
    const auto begin = Clock::now();
    std::thread sending([&] { sender.run(); });
    std::thread receiving([&] {
        // Ends a second after the last one.
        while (const auto adus = far->receive_many(1024, std::chrono::seconds(1))) {
            for (const Adu &adu : *adus) received.add(adu);
            far->accept_many(*adus);
        }
    });
    sending.join();
    const double seconds = seconds_since(begin);
    receiving.join();
    std::printf(
        "{\"sent\":%llu,\"received\":%llu,\"refused\":%llu,\"disordered\":%llu,"
        "\"seconds\":%.6f,\"p50_us\":%.1f,\"p99_us\":%.1f}\n",
        static_cast<unsigned long long>(sender.sent()),
        static_cast<unsigned long long>(received.next),
        static_cast<unsigned long long>(sender.failed()),
        static_cast<unsigned long long>(received.disordered), seconds, sender.accepted_within(0.5),
        sender.accepted_within(0.99));
    return 0;
}

}  // namespace

int main(int argc, char **argv) {
    const std::span<char *> arguments(argv, static_cast<std::size_t>(argc));
    if (argc != 5) return 2;
    const Task task{arguments[1], std::chrono::seconds(number_in(arguments[2])),
                    std::max<std::size_t>(number_in(arguments[3]), sizeof(std::uint64_t)),
                    static_cast<std::uint32_t>(number_in(arguments[4]))};
    return run(task);
}
