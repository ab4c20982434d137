// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "cla/session/session_driver.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cla {
namespace {

/// Read or written in one turn; then the other links of the loop get theirs.
constexpr std::size_t kBytesPerTurn = 2 * 1024 * 1024;
constexpr std::size_t kWriteBytes = 1024 * 1024;
constexpr std::size_t kWriteEntries = 256;

}  // namespace

bool SessionDriver::may_read() const {
    if (phase_ != Phase::kOpen || reading_ended_) return false;
    if (tls_ == Tls::kDue) return false;
    return tls_ == Tls::kHandshake || core_->wants_read();
}

void SessionDriver::read_available() {
    std::size_t budget = kBytesPerTurn;
    resources_.buffer.begin_read(hold_ ? &*hold_ : nullptr, monotonic_now());
    while (budget > 0 && may_read() && tls_ != Tls::kHandshake) {
        const MutableBytes space = core_->prepare(resources_.buffer);
        const StreamResult got = fill(space.first(std::min(space.size(), budget)));
        budget -= got.bytes;
        if (got.bytes > 0) take(got.bytes);
        if (got.status == StreamStatus::kOk) continue;
        if (phase_ != Phase::kOpen) break;
        if (got.status == StreamStatus::kWaitWritable) watch_writable();
        if (got.status == StreamStatus::kEnded) core_->handle_peer_closed(monotonic_now());
        if (got.status == StreamStatus::kFailed) lost_ = true;
        reading_ended_ = got.status == StreamStatus::kEnded || got.status == StreamStatus::kFailed;
        break;
    }
    resources_.buffer.end_read();
    resources_.buffer.rest();
    if (phase_ == Phase::kOpen && !reading_ended_ &&
        quick_ack_.handle_read(kBytesPerTurn - budget, core_->inside_message()))
        QuickAck::acknowledge_now(stream_.socket().native_handle());
}

// Under TLS a read gives a record at a time; the protocol sees them together.
StreamResult SessionDriver::fill(MutableBytes space) {
    std::size_t filled = 0;
    while (filled < space.size()) {
        const StreamResult got = stream_.read(space.subspan(filled));
        filled += got.bytes;
        if (got.status != StreamStatus::kOk) return {got.status, filled};
        if (!stream_.secured() && filled < space.size())
            return {StreamStatus::kWaitReadable, filled};  // that was all the kernel had
    }
    return {StreamStatus::kOk, filled};
}

// The host hears who the peer is before it hears of bundles, and of the end after them.
void SessionDriver::take(std::size_t size) {
    last_octet_ = monotonic_now();
    core_->handle_bytes(size, resources_.buffer, received_, last_octet_);
    if (hold_) hold_->update(core_->unfinished_bytes(), last_octet_);
    hand_over_events();
    if (!received_.empty() && owner_ != nullptr) {
        moved_ = true;
        last_bundle_ = monotonic_now();
        resources_.host.on_bundles(link_, id_, received_);
    }
    received_.clear();
}

// True when something went.
bool SessionDriver::write_available() {
    if (phase_ > Phase::kEnding || lost_ || waiting_writable_ || tls_ == Tls::kHandshake)
        return false;
    std::size_t written = 0;
    std::array<iovec, kWriteEntries> pieces;
    while (core_->queue().pending() > 0 || stream_holds_) {
        const std::size_t count = core_->queue().gather(pieces, kWriteBytes);
        const StreamResult taken = stream_.write({pieces.data(), count});
        if (taken.bytes > 0) {
            core_->queue().written(taken.bytes);
            core_->handle_written(monotonic_now());
            written += taken.bytes;
        }
        stream_holds_ = taken.status == StreamStatus::kWaitWritable && stream_.secured();
        if (taken.status == StreamStatus::kOk && written < kBytesPerTurn) continue;
        if (taken.status == StreamStatus::kFailed || taken.status == StreamStatus::kEnded)
            lost_ = true;
        else if (taken.status == StreamStatus::kWaitReadable)
            write_needs_read_ = true;
        else
            watch_writable();
        break;
    }
    return written > 0;
}

bool SessionDriver::all_written() const {
    return !stream_holds_ && core_->queue().pending() == 0;
}

void SessionDriver::begin_tls() {
    FARLINK_INVARIANT(setup_->tls.has_value());
    const TlsRefresh refresh = setup_->tls->refresh(monotonic_now());
    if (refresh.reloaded) setup_->log.info("link {}: certificates reloaded", link_.value());
    if (!refresh.failure.empty())
        setup_->log.error("link {}: the certificates before stay in use: {}", link_.value(),
                          refresh.failure);
    tls_ = Tls::kHandshake;
    stream_.start_tls(*setup_->tls, setup_->config.role, setup_->expected_host);
    shake_hands();
}

void SessionDriver::shake_hands() {
    switch (stream_.handshake()) {
        case StreamStatus::kOk:
            tls_ = Tls::kDone;
            return core_->handle_secured(monotonic_now());
        case StreamStatus::kWaitReadable:
            return;
        case StreamStatus::kWaitWritable:
            return watch_writable();
        case StreamStatus::kEnded:
        case StreamStatus::kFailed:
            break;
    }
    detail_ = stream_.reason();
    if (const auto held_back = setup_->refusals.admit(monotonic_now()))
        setup_->log.warn("link {}: no TLS with {}: {} ({} more not shown)", link_.value(),
                         peer_.address, stream_.reason(), *held_back);
    end_because_of(LinkFault::kTlsFailed);
}

// Whatever the peer says after the end of its session is of no more interest, but its own end is.
void SessionDriver::discard_input() {
    std::array<std::uint8_t, 4096> unwanted;
    for (int reads = 0; reads < 64; ++reads) {
        boost::system::error_code error;
        (void)stream_.socket().read_some(boost::asio::buffer(unwanted), error);
        if (error == boost::asio::error::would_block) return;
        if (error) return close();
    }
}

}  // namespace farlink::cla
