// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/sim_link.hpp"

#include <utility>

#include "common/base/invariant.hpp"

namespace farlink::sim {

SimLink::SimLink(SimClock &clock, Random &random, LinkSender &sender, LinkReceiver &receiver,
                 const LinkOptions &options)
    : clock_(clock), random_(random), sender_(sender), receiver_(receiver), options_(options) {}

void SimLink::later(Duration delay, SimClock::Event event) {
    clock_.after(delay, [this, attempt = attempt_, event = std::move(event)] {
        if (attempt == attempt_) event();
    });
}

// ---- connecting and disconnecting

void SimLink::open() {
    if (state_ == State::kClosing) reopen_ = true;
    if (state_ != State::kClosed) return;
    state_ = State::kConnecting;
    try_connect(++attempt_);
}

void SimLink::try_connect(std::uint64_t attempt) {
    if (wire_intact_ && receiver_.accepts_connections())
        return later(2 * options_.delay, [this, attempt] {
            if (wire_intact_ && receiver_.accepts_connections())
                connect();
            else
                try_connect(attempt);
        });
    later(options_.retry, [this, attempt] { try_connect(attempt); });
}

void SimLink::connect() {
    ++attempt_;
    state_ = State::kConnected;
    session_ = receiver_.new_session(*this);
    sessions_[session_];
    sender_.on_connected(*this);
}

void SimLink::close() {
    reopen_ = false;
    if (state_ == State::kConnecting) {
        ++attempt_;
        state_ = State::kClosed;
    } else if (state_ == State::kConnected) {
        state_ = State::kClosing;
        forget_unbegun();
        if (unacknowledged_ == 0) later(Duration::zero(), [this] { disconnect(); });
    }
}

void SimLink::forget_unbegun() {
    const std::size_t begun = sending_ ? 1 : 0;
    while (queue_.size() > begun) {
        queued_bytes_ -= queue_.back().octets.size();
        --unacknowledged_;
        queue_.pop_back();
    }
}

void SimLink::break_connection() {
    if (state_ == State::kConnected || state_ == State::kClosing) disconnect();
}

void SimLink::set_wire(bool intact) {
    wire_intact_ = intact;
    if (!intact) break_connection();
}

void SimLink::disconnect() {
    const bool closing = state_ == State::kClosing;
    end_connection();
    sender_.on_disconnected(*this);
    // A link that was not closed by its owner connects again by itself.
    if (state_ == State::kClosed && (!closing || std::exchange(reopen_, false))) open();
}

void SimLink::end_connection() {
    ++attempt_;  // bundles in flight do not arrive
    state_ = State::kClosed;
    queue_.clear();
    queued_bytes_ = flying_bytes_ = unacknowledged_ = 0;
    sending_ = false;
    const auto session = sessions_.find(std::exchange(session_, kNoUpstream));
    if (session == sessions_.end()) return;
    session->second.finished = true;
    schedule_read(session->first);
}

void SimLink::kill_sender() {
    reopen_ = false;
    end_connection();
}

void SimLink::kill_receiver() {
    sessions_.clear();
    break_connection();
}

// ---- the sending end

std::uint64_t SimLink::transmit_credit() const {
    if (state_ != State::kConnected || queued_bytes_ >= options_.window_bytes) return 0;
    if (acknowledges() && unacknowledged_ >= options_.max_transfers) return 0;
    return options_.window_bytes - queued_bytes_;
}

void SimLink::transmit(std::span<const TxBundle> bundles) {
    FARLINK_INVARIANT(state_ == State::kConnected);
    for (const TxBundle &bundle : bundles) {
        Bytes octets(bundle.head.begin(), bundle.head.end());
        append(octets, bundle.body);
        for (const ByteView piece : bundle.rest) append(octets, piece);
        FARLINK_INVARIANT(octets.size() == bundle.size);
        queued_bytes_ += octets.size();
        ++unacknowledged_;
        queue_.push_back({std::move(octets), bundle.token, bundle.left == 0});
    }
    send_next();
}

Duration SimLink::transmission_time(std::uint64_t bytes) const {
    if (options_.rate == BitRate{}) return Duration::zero();
    return nanoseconds(bytes * 8 * 1'000'000'000 / options_.rate.value());
}

void SimLink::send_next() {
    if (sending_ || queue_.empty()) return;
    const std::uint64_t size = queue_.front().octets.size();
    const std::uint64_t ahead = flying_bytes_ + sessions_[session_].bytes;
    if (ahead > 0 && ahead + size > options_.window_bytes) return;  // the receiver's window is full
    sending_ = true;
    later(transmission_time(size), [this] { frame_sent(); });
}

void SimLink::frame_sent() {
    sending_ = false;
    Frame frame = std::move(queue_.front());
    queue_.pop_front();
    const std::uint64_t size = frame.octets.size();
    queued_bytes_ -= size;
    flying_bytes_ += size;
    later(options_.delay, [this, frame = std::move(frame), session = session_]() mutable {
        frame_arrived(std::move(frame), session);
    });
    send_next();
    if (state_ == State::kConnected && queued_bytes_ < options_.window_bytes / 2)
        sender_.on_writable(*this);
}

void SimLink::frame_arrived(Frame frame, UpstreamId session) {
    flying_bytes_ -= frame.octets.size();
    const std::uint64_t token = frame.token;
    if (!acknowledges())
        later(options_.delay, [this, token] { acknowledged(token, TransferDisposition::kSafe); });
    if (random_.below(1'000'000) < options_.loss_ppm) return send_next();
    Session &to = sessions_[session];
    append(to.unfinished, frame.octets);
    ++to.unfinished_frames;
    if (!frame.last) return send_next();
    Bytes octets = std::exchange(to.unfinished, {});
    const std::uint64_t frames = std::exchange(to.unfinished_frames, 0);
    ++carried_bundles_;
    if (!acknowledges() && random_.below(1'000'000) < options_.repeat_ppm) {
        to.bytes += octets.size();
        to.inbox.push_back(octets);
    }
    to.bytes += octets.size();
    to.inbox.push_back(std::move(octets));
    if (acknowledges()) to.transfers.push_back({.token = token, .frames = frames});
    schedule_read(session);
}

void SimLink::acknowledged(std::uint64_t token, TransferDisposition disposition,
                           std::uint64_t frames) {
    unacknowledged_ -= frames;
    if (disposition != TransferDisposition::kSafe) sender_.on_refused(*this, token);
    sender_.on_transmitted(*this, token + 1);
    if (state_ == State::kClosing && unacknowledged_ == 0) disconnect();
}

// ---- the receiving end

// Bundles that arrive at the same time are read together.
void SimLink::schedule_read(UpstreamId id) {
    const auto session = sessions_.find(id);
    if (session == sessions_.end() || std::exchange(session->second.read_due, true)) return;
    clock_.after(Duration::zero(), [this, id] { read(id); });
}

void SimLink::read(UpstreamId id) {
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return;
    Session &session = found->second;
    session.read_due = false;
    if (session.paused) return;
    if (!session.inbox.empty()) receiver_.on_readable(*this, id);
    if (!session.finished || !session.inbox.empty()) return;
    sessions_.erase(found);
    receiver_.on_session_closed(*this, id);
}

const Bytes *SimLink::peek(UpstreamId id) const {
    const auto session = sessions_.find(id);
    if (session == sessions_.end() || session->second.inbox.empty()) return nullptr;
    return &session->second.inbox.front();
}

Bytes SimLink::take(UpstreamId id) {
    Session &session = sessions_.at(id);
    Bytes octets = std::move(session.inbox.front());
    session.inbox.pop_front();
    session.bytes -= octets.size();
    ++session.taken;
    if (id == session_) later(options_.delay, [this] { send_next(); });  // the window opens
    return octets;
}

std::uint64_t SimLink::next_transfer(UpstreamId id) const {
    return sessions_.at(id).taken;
}

// Acknowledgements leave in the order of the transfers.
void SimLink::acknowledge(UpstreamId id, std::uint64_t first, std::uint32_t count,
                          TransferDisposition disposition) {
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return;
    Session &session = found->second;
    for (std::uint64_t number = first; number < first + count; ++number) {
        Session::Transfer &transfer = session.transfers.at(number - session.first_transfer);
        FARLINK_INVARIANT(!transfer.acknowledged);
        transfer.acknowledged = true;
        transfer.disposition = disposition;
    }
    for (; !session.transfers.empty() && session.transfers.front().acknowledged;
         ++session.first_transfer) {
        const Session::Transfer transfer = session.transfers.front();
        session.transfers.pop_front();
        if (id == session_)
            later(options_.delay, [this, transfer] {
                acknowledged(transfer.token, transfer.disposition, transfer.frames);
            });
    }
}

bool SimLink::paused(UpstreamId id) const {
    const auto session = sessions_.find(id);
    return session != sessions_.end() && session->second.paused;
}

void SimLink::pause(UpstreamId id, bool paused) {
    const auto session = sessions_.find(id);
    if (session == sessions_.end()) return;
    session->second.paused = paused;
    if (!paused) schedule_read(id);
}

}  // namespace farlink::sim
