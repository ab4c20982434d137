// SPDX-License-Identifier: Apache-2.0
#include <farlink/client/endpoint.hpp>

#include <algorithm>

#include "clients/cpp/src/channel.hpp"

namespace farlink::client {
namespace {

/// Seconds from 1970-01-01 to 2000-01-01, the epoch of DTN time.
constexpr std::chrono::seconds kDtnEpoch{946'684'800};
/// What is handed to the kernel at once.
constexpr std::size_t kWriteBytes = 128 * 1024;
/// Payloads under way at a time, apart from the last one: more would leave the processor's caches
/// before the node reads it.
constexpr std::size_t kBytesUnderWay = 2 * 1024 * 1024;

Deadline deadline_of(const Timeout &timeout) {
    if (!timeout) return std::nullopt;
    return Clock::now() + *timeout;
}

}  // namespace

std::uint64_t dtn_now_ms() {
    const auto since = std::chrono::system_clock::now().time_since_epoch() - kDtnEpoch;
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(std::chrono::floor<std::chrono::milliseconds>(since).count(), 0));
}

struct Endpoint::State {
    State(ConnectOptions given, Address where)
        : options(std::move(given)),
          address(std::move(where)),
          sender(options.registration,
                 [this](std::uint64_t number, Sent sent) {
                     bytes_under_way -= asked[number - first_number].payload.size();
                     results[number - first_number] = std::move(sent);
                     ++known;
                 }),
          receiver(options.registration),
          out(
              address, options.retry, options.registration, sender, [] {},
              [this] { return unsent(); }),
          in(
              address, options.retry, options.registration, receiver,
              [this] { receiver.handle_lost(); }, [] { return std::vector<Octets>(); }) {}

    [[nodiscard]] std::vector<Octets> unsent() const {
        std::vector<Octets> pieces;
        for (const Sender::Pending &pending : sender.pending()) {
            pieces.emplace_back(pending.head);
            pieces.push_back(pending.payload);
        }
        return pieces;
    }

    std::optional<Error> send_all(std::span<const Message> messages, const Deadline &deadline) {
        bool fresh = false;
        if (auto error = out.connect(deadline, fresh)) return error;
        std::size_t added = 0;
        while (known < messages.size()) {
            if (auto error = send_some(messages, added, deadline)) return error;
            // Half of the window is answered before more is sent, so that writes stay large.
            const bool more = added < messages.size();
            const std::size_t most = more ? window() / 2 : 0;
            const std::size_t most_bytes = more ? kBytesUnderWay / 2 : 0;
            while (sender.pending().size() > most || bytes_under_way > most_bytes)
                if (auto error = out.read(deadline)) return error;
        }
        return std::nullopt;
    }
    std::optional<Error> send_some(std::span<const Message> messages, std::size_t &added,
                                   const Deadline &deadline) {
        while (added < messages.size() && has_room()) {
            const std::uint64_t now_ms = dtn_now_ms();
            const std::size_t before = sender.pending().size();
            std::size_t bytes = 0;
            while (added < messages.size() && has_room() && bytes < kWriteBytes) {
                bytes_under_way += messages[added].payload.size();
                sender.add(messages[added++], now_ms);
                bytes += sender.last_head().size() + sender.pending().back().payload.size();
            }
            std::vector<Octets> pieces;
            for (std::size_t at = before; at < sender.pending().size(); ++at) {
                pieces.emplace_back(sender.pending()[at].head);
                pieces.push_back(sender.pending()[at].payload);
            }
            if (auto error = out.write(pieces, deadline)) return error;
        }
        return std::nullopt;
    }
    [[nodiscard]] bool has_room() const {
        return sender.pending().size() < window() && bytes_under_way < kBytesUnderWay;
    }
    [[nodiscard]] std::size_t window() const {
        return std::max<std::uint32_t>(options.registration.window, 1);
    }

    std::optional<Error> fill(const Deadline &deadline) {
        while (receiver.arrived().empty()) {
            bool fresh = false;
            if (auto error = in.connect(deadline, fresh)) return error;
            if (!fresh)
                if (auto error = in.read(deadline)) return error;
            in.try_write(receiver.take_answers());
        }
        return std::nullopt;
    }

    ConnectOptions options;
    Address address;
    // Of the call of send_many() that runs.
    std::vector<Sent> results;
    std::span<const Message> asked;
    std::size_t bytes_under_way = 0;
    std::uint64_t first_number = 0;
    std::size_t known = 0;
    std::uint64_t next_number = 0;
    Sender sender;
    Receiver receiver;
    Channel out;
    Channel in;
};

Endpoint::Endpoint(std::unique_ptr<State> state) : state_(std::move(state)) {}
Endpoint::Endpoint(Endpoint &&other) noexcept = default;
Endpoint &Endpoint::operator=(Endpoint &&other) noexcept = default;
Endpoint::~Endpoint() = default;

Result<Endpoint> Endpoint::connect(ConnectOptions options) {
    auto address = parse_address(options.address);
    if (!address) return Error{ErrorCode::kBadArgument, "not an address: " + options.address};
    const Deadline deadline = deadline_of(std::max(options.retry, std::chrono::milliseconds(1000)));
    auto state = std::make_unique<State>(std::move(options), std::move(*address));
    bool fresh = false;
    if (auto error = state->out.connect(deadline, fresh)) return *error;
    return Endpoint(std::move(state));
}

const std::string &Endpoint::id() const {
    return state_->options.registration.endpoint;
}

Sent Endpoint::send(const std::string &destination, Octets payload, const SendOptions &options,
                    Timeout timeout) {
    const Message message{destination, payload, options};
    return send_many({&message, 1}, timeout).front();
}

std::vector<Sent> Endpoint::send_many(std::span<const Message> messages, Timeout timeout) {
    State &state = *state_;
    state.results.assign(messages.size(), Sent{{}, Error{ErrorCode::kTimedOut, "not sent"}});
    state.asked = messages;
    state.first_number = state.next_number;
    state.known = 0;
    if (const auto error = state.send_all(messages, deadline_of(timeout))) {
        // The payloads are the caller's again: nothing more may be sent of them.
        state.out.close();
        state.sender.give_up(*error);
        for (std::size_t at = state.known; at < messages.size(); ++at)
            state.results[at].error = *error;
    }
    state.next_number += state.known;
    return std::move(state.results);
}

Result<Adu> Endpoint::receive(Timeout timeout) {
    auto adus = receive_many(1, timeout);
    if (!adus) return adus.error();
    return std::move(adus->front());
}

Result<std::vector<Adu>> Endpoint::receive_many(std::size_t most, Timeout timeout) {
    if (const auto error = state_->fill(deadline_of(timeout))) return *error;
    auto &arrived = state_->receiver.arrived();
    const std::size_t count = std::min(std::max<std::size_t>(most, 1), arrived.size());
    std::vector<Adu> adus;
    adus.reserve(count);
    for (std::size_t at = 0; at < count; ++at) {
        adus.push_back(std::move(arrived.front()));
        arrived.pop_front();
    }
    return adus;
}

void Endpoint::accept(const Adu &adu) {
    accept_many({&adu, 1});
}

void Endpoint::accept_many(std::span<const Adu> adus) {
    for (const Adu &adu : adus) state_->receiver.accept(adu);
    state_->in.try_write(state_->receiver.take_answers());
}

}  // namespace farlink::client
