// SPDX-License-Identifier: Apache-2.0
#include "clients/cpp/src/channel.hpp"

#include <poll.h>

#include <algorithm>

namespace farlink::client {
namespace {

constexpr std::size_t kReadBytes = 256 * 1024;
constexpr std::chrono::milliseconds kFirstPause{20};
constexpr std::chrono::milliseconds kLongestPause{2000};

Error timed_out() {
    return {ErrorCode::kTimedOut, "no data arrived in time"};
}

void pause(std::chrono::milliseconds duration) {
    ::poll(nullptr, 0, static_cast<int>(duration.count()));
}

}  // namespace

Channel::Channel(const Address &address, std::chrono::milliseconds retry,
                 Registration &registration, Direction &direction, std::function<void()> on_new,
                 std::function<std::vector<Octets>()> on_ready)
    : address_(address),
      retry_(retry),
      registration_(registration),
      direction_(direction),
      on_new_(std::move(on_new)),
      on_ready_(std::move(on_ready)),
      space_(kReadBytes) {}

std::optional<Error> Channel::connect(const Deadline &deadline, bool &fresh) {
    fresh = !connection_.is_open();
    if (!fresh) return std::nullopt;
    return connect_again(deadline);
}

std::optional<Error> Channel::connect_again(const Deadline &deadline) {
    const Clock::time_point give_up = Clock::now() + retry_;
    for (auto wait = kFirstPause;; wait = std::min(2 * wait, kLongestPause)) {
        IoResult result = IoResult::kDone;
        const auto error = open(deadline, result);
        if (error || result != IoResult::kDone) connection_.close();
        if (error) return error;
        if (result == IoResult::kDone) return std::nullopt;
        const Clock::time_point now = Clock::now();
        if (result == IoResult::kTimedOut || (deadline && now >= *deadline)) return timed_out();
        if (now + wait > give_up)
            return Error{ErrorCode::kConnectionLost, "the node cannot be reached"};
        pause(wait);
    }
}

std::optional<Error> Channel::open(const Deadline &deadline, IoResult &result) {
    result = connection_.open(address_, deadline);
    if (result != IoResult::kDone) return std::nullopt;
    on_new_();
    session_.emplace(registration_, direction_);
    while (!session_->ready()) {
        if (const auto error = feed(deadline, result); error || result != IoResult::kDone)
            return error;
        const auto output = session_->take_output();
        const Octets piece(output);
        result = connection_.write({&piece, 1}, deadline);
        if (result != IoResult::kDone) return std::nullopt;
    }
    result = connection_.write(on_ready_(), deadline);
    return std::nullopt;
}

std::optional<Error> Channel::feed(const Deadline &deadline, IoResult &result) {
    std::size_t size = 0;
    const std::span<std::uint8_t> in_place = session_->space();
    result = connection_.read(in_place, space_, size, deadline);
    if (result != IoResult::kDone) return std::nullopt;
    const std::size_t first = std::min(size, in_place.size());
    if (first > 0)
        if (auto error = session_->filled(first)) return error;
    return session_->feed(Octets(space_).first(size - first));
}

std::optional<Error> Channel::write(std::span<const Octets> pieces, const Deadline &deadline) {
    const IoResult result = connection_.write(pieces, deadline);
    if (result == IoResult::kDone) return std::nullopt;
    std::optional<Error> error;
    if (result == IoResult::kLost) error = take_rest();
    // A part of a message may be sent: the connection cannot go on.
    connection_.close();
    if (error) return error;
    return result == IoResult::kTimedOut ? timed_out() : connect_again(deadline);
}

// What the node has answered before it has ended the connection, such as a refusal.
std::optional<Error> Channel::take_rest() {
    IoResult result = IoResult::kDone;
    std::optional<Error> error;
    while (result == IoResult::kDone && !error) error = feed(Clock::now(), result);
    return error;
}

std::optional<Error> Channel::read(const Deadline &deadline) {
    IoResult result = IoResult::kDone;
    const auto error = feed(deadline, result);
    if (error || result == IoResult::kLost) connection_.close();
    if (error) return error;
    if (result == IoResult::kDone) return std::nullopt;
    return result == IoResult::kTimedOut ? timed_out() : connect_again(deadline);
}

void Channel::try_write(Octets octets) {
    if (octets.empty() || !connection_.is_open()) return;
    if (connection_.write({&octets, 1}, std::nullopt) != IoResult::kDone) connection_.close();
}

}  // namespace farlink::client
