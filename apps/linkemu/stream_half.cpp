// SPDX-License-Identifier: Apache-2.0
#include "apps/linkemu/stream_half.hpp"

#include <boost/asio/write.hpp>

#include "apps/linkemu/wire_alarm.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::linkemu {
namespace {

using emulation::DelayLine;

/// Octets of one system call.
constexpr std::size_t kWriteBytes = 512 * 1024;

/// Capacity of a stream's wire, unless its profile has less: a megabyte more than is in flight at
/// the emulated rate.
emulation::WireProfile for_stream(emulation::WireProfile profile) {
    if (profile.queue_bytes == 0) profile.queue_bytes = DelayLine::kBlockBytes;
    return profile;
}

}  // namespace

StreamHalf::StreamHalf(Socket &from, Socket &to, const emulation::WireProfile &profile,
                       TimePoint start, std::function<void(bool)> over)
    : from_(from),
      to_(to),
      wire_(for_stream(profile), emulation::Carries::kStream, 0, start),
      timer_(from.get_executor()),
      over_(std::move(over)),
      room_(DelayLine::kMaxPieceBytes) {}

void StreamHalf::stop() {
    over_ = nullptr;
    timer_.cancel();
}

void StreamHalf::read() {
    if (reading_ || ended_ || !over_ || !wire_.has_room(monotonic_now())) return arm();
    reading_ = true;
    from_.async_read_some(boost::asio::buffer(room_),
                          [self = shared_from_this()](const auto &error, std::size_t size) {
                              self->reading_ = false;
                              if (!self->over_) return;
                              if (error && error != boost::asio::error::eof)
                                  return self->finish(false);
                              // The end of the stream takes as long as an octet.
                              if (error) self->ended_ = true;
                              self->push(ByteView(self->room_).first(size));
                          });
}

void StreamHalf::push(ByteView octets) {
    wire_.push(octets, monotonic_now());
    write();
    read();
}

void StreamHalf::write() {
    if (writing_ || !over_) return;
    const auto pieces = wire_.due(monotonic_now());
    if (pieces.empty()) return arm();
    std::vector<boost::asio::const_buffer> buffers;
    std::size_t bytes = 0;
    bool end = false;
    for (const ByteView &piece : pieces) {
        if (bytes + piece.size() > kWriteBytes || end) break;
        end = piece.empty();
        bytes += piece.size();
        buffers.emplace_back(piece.data(), piece.size());
    }
    writing_ = true;
    boost::asio::async_write(
        to_, buffers,
        [self = shared_from_this(), count = buffers.size(), end](const auto &error, std::size_t) {
            self->writing_ = false;
            if (!self->over_) return;
            self->wire_.sent(count);
            if (error || end) return self->finish(!error);
            self->write();
            self->read();
        });
}

void StreamHalf::arm() {
    if (!over_) return;
    const TimePoint now = monotonic_now();
    TimePoint next = writing_ ? kNever : wire_.next_due();
    // The wire reports that it is full, but not until when.
    if (!reading_ && !ended_) next = std::min(next, now + milliseconds(1));
    if (next == kNever) return;
    const TimePoint at = std::max(next, now + kTick);
    timer_.expires_at(std::chrono::steady_clock::time_point(at.time_since_epoch()));
    timer_.async_wait([self = shared_from_this()](const auto &error) {
        if (error) return;
        self->write();
        self->read();
    });
}

void StreamHalf::finish(bool ended) {
    const auto over = std::exchange(over_, nullptr);
    timer_.cancel();
    if (ended) {
        boost::system::error_code ignored;
        to_.shutdown(Socket::shutdown_send, ignored);
    }
    over(ended);
}

}  // namespace farlink::linkemu
