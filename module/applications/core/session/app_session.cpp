// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/session/app_session.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "common/base/endpoint_links.hpp"
#include "module/applications/core/protocol/protobuf.hpp"

namespace farlink::applications {
namespace {

/// Of one message; endpoint ids are the only part that can be long.
constexpr std::size_t kLongestMessage = 2000;
static_assert(kLongestMessage + kLongestVarint <= StreamReader::kCarryBytes);
/// A refused payload that is longer is not waited for.
constexpr std::uint64_t kLongestSkipped = 256ULL * 1024 * 1024;
/// A sender with more answers due, or not read, is not read.
constexpr std::size_t kMostReplies = 2048;
constexpr std::uint64_t kMostUnread = 64 * 1024;
/// A receiver with more octets to read gets nothing more.
constexpr std::uint64_t kMostUnwritten = 1024 * 1024;
/// Shorter pieces of a payload are copied: that is cheaper than an entry for the kernel.
constexpr std::size_t kCopiedPiece = 4096;
constexpr std::uint64_t kLongestKeepAliveSeconds = 86'400;

constexpr Verdict kNoMemory{ResponseStatus::kError,
                            "the node has no memory for the ADU now; try again"};
constexpr Verdict kTooLargeForMemory{ResponseStatus::kInvalidRequest,
                                     "the ADU is larger than half of the node's bufferBytes and "
                                     "cannot be written to disk while it arrives"};
constexpr Verdict kNoRoom{ResponseStatus::kError,
                          "the node has no space for the bundle now; try again"};
constexpr Verdict kNotBundle{ResponseStatus::kInvalidRequest,
                             "the node does not accept the bundle"};

Verdict verdict_of(TransferDisposition disposition) {
    switch (disposition) {
        case TransferDisposition::kSafe:
            return {};
        case TransferDisposition::kNotAcceptable:
            return kNotBundle;
        default:
            return kNoRoom;
    }
}

}  // namespace

AppSession::AppSession(UpstreamId id, Identity identity, const Grant *grant, SessionHost &host,
                       HeadMemory &memory, const SessionLimits &limits, std::string_view node_id,
                       TimePoint now)
    : id_(id),
      identity_(std::move(identity)),
      grant_(grant),
      host_(host),
      memory_(memory),
      limits_(limits),
      bytes_pace_(grant == nullptr ? 0 : grant->bytes_per_second()),
      adus_pace_(grant == nullptr ? 0 : grant->adus_per_second()),
      heard_(now),
      opened_(now) {
    scratch_.assign(1, kAap2Greeting);
    writer_.welcome(scratch_, node_id);
    queue_.copy(scratch_);
}

// ---- octets in

MutableBytes AppSession::prepare(ReadBuffer &buffer) {
    return reader_.prepare(buffer, adu_.under_way() ? id_ : kNoUpstream);
}

bool AppSession::wants_read(TimePoint now) const {
    if (ended()) return false;
    // Of a receiver each message is an answer, to something that it has read.
    if (state_ == State::kReceiving) return true;
    return !paused_ && waiting_.empty() && has_room() && read_due() <= now;
}

bool AppSession::has_room(std::size_t parts) const {
    return replies_.size() < kMostReplies / parts && queue_.pending() < kMostUnread / parts;
}

void AppSession::handle_bytes(std::size_t size, ReadBuffer &buffer, TimePoint now) {
    if (!waiting_.empty()) {
        const auto [octets, slab] = waiting_.take();
        return take(octets, slab, buffer, now);
    }
    heard_ = now;
    const ByteView fresh = reader_.take(size, buffer);
    take(fresh, buffer.slab(), buffer, now);
}

void AppSession::take(ByteView rest, const SlabRef &slab, ReadBuffer &buffer, TimePoint now) {
    bool full = false;
    spool_above_ = buffer.spool_above();
    while (!ended()) {
        if (!has_room()) write_replies();
        full = state_ != State::kReceiving && !has_room();
        if (full) break;
        const std::size_t before = rest.size();
        if (skipped_ > 0) {
            const std::uint64_t size = std::min<std::uint64_t>(skipped_, rest.size());
            rest = rest.subspan(static_cast<std::size_t>(size));
            skipped_ -= size;
            if (skipped_ == 0) replies_.add(refusal_);
        } else if (adu_.under_way())
            rest = take_payload(rest, slab, now);
        else
            rest = take_message(rest, now);
        if (rest.empty() || rest.size() == before) break;
    }
    if (ended())
        adu_.abandon();
    else if (full && !rest.empty())
        waiting_.keep(rest, slab, buffer.pool());
    else
        reader_.hand_back(rest);
    if (!adu_.under_way()) buffer.finished(id_);
    write_replies();
}

ByteView AppSession::take_message(ByteView rest, TimePoint now) {
    const VarintRead length = read_varint(rest);
    if (length.invalid || length.value > kLongestMessage) {
        end("the application sent a message longer than 2,000 bytes");
        return rest;
    }
    if (length.size == 0 || rest.size() - length.size < length.value) return rest;
    const auto size = static_cast<std::size_t>(length.value);
    handle_message(rest.subspan(length.size, size), now);
    return rest.subspan(length.size + size);
}

void AppSession::handle_message(ByteView octets, TimePoint now) {
    if (state_ == State::kReceiving) {
        const auto response = decode_response(octets);
        return response ? handle_answer(*response, now)
                        : end("the application sent a message that is not a valid response");
    }
    const auto message = decode_message(octets);
    if (!message) return end("the application sent a malformed message");
    if (const auto *config = std::get_if<ConnectionConfig>(&*message)) return handle(*config, now);
    if (state_ == State::kGreeting) return end("the first message is not a ConnectionConfig");
    if (std::holds_alternative<KeepAliveMessage>(*message))
        return replies_.add({ResponseStatus::kAck, {}});
    if (const auto *adu = std::get_if<BundleAdu>(&*message)) return handle(*adu, now);
    replies_.add(kNoDispatch);
}

void AppSession::handle(const ConnectionConfig &config, TimePoint now) {
    if (state_ != State::kGreeting)
        return replies_.add(
            {ResponseStatus::kInvalidRequest, "the connection is already configured"});
    const Verdict verdict = host_.configure(*this, config, now);
    replies_.add(verdict);
    write_replies();
    if (!verdict.good()) return end(verdict.reason);
    state_ = config.subscribes ? State::kReceiving : State::kSending;
    replies_.set_window(config.window);
    outgoing_.set_window(config.window);
    wants_metadata_ = config.wants_metadata;
    keep_alive_ = seconds(std::min(config.keep_alive_seconds, kLongestKeepAliveSeconds));
}

void AppSession::handle(const BundleAdu &adu, TimePoint now) {
    AduFields fields;
    const Verdict verdict = host_.admit(*this, adu, fields, now);
    if (!verdict.good()) return begin_skipping(adu.payload_bytes, verdict);
    const bool whole = fields.whole || spool_above_ == kNeverSpooled;
    if (whole && adu.payload_bytes > memory_.limit() / 2)
        return begin_skipping(adu.payload_bytes, kTooLargeForMemory);
    bytes_pace_.take(adu.payload_bytes, now);
    adus_pace_.take(1, now);
    adu_.begin(fields);
    asks_ = asked_flow(fields.priority);
    if (adu_.left() == 0) finish_adu();
}

void AppSession::begin_skipping(std::uint64_t octets, Verdict verdict) {
    (void)made_.append(next_transfer(), asks_, [&](ReceivedBundles &out) {
        adu_.abandon(out);
        return true;
    });
    refusal_ = verdict;
    skipped_ = octets;
    if (octets == 0) return replies_.add(verdict);
    if (octets <= kLongestSkipped) return;
    replies_.add(verdict);
    write_replies();
    end(verdict.reason);
}

ByteView AppSession::take_payload(ByteView rest, const SlabRef &slab, TimePoint) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(adu_.left(), rest.size()));
    if (size == 0) return rest;
    const std::uint64_t behind = adu_.left() - size;
    const bool added = made_.append(next_transfer(), asks_, [&](ReceivedBundles &out) {
        return adu_.add(slab, rest.first(size), memory_, spool_above_, out);
    });
    if (!added) {
        begin_skipping(behind, kNoMemory);
    } else if (behind == 0) {
        finish_adu();
    }
    return rest.subspan(size);
}

void AppSession::finish_adu() {
    const bool finished = made_.append(
        next_transfer(), asks_, [&](ReceivedBundles &out) { return adu_.finish(out, memory_); });
    if (finished) return replies_.add_transfer();
    begin_skipping(0, kNoMemory);
}

// ---- of a sender

void AppSession::handle_disposition(std::uint64_t first, std::uint32_t count,
                                    TransferDisposition disposition) {
    replies_.set(first, count, verdict_of(disposition));
    write_replies();
}

void AppSession::refuse_unanswered() {
    replies_.set_unanswered(kNodePartLost);
    // The next one has nothing of what has left of it.
    if (adu_.in_pieces()) begin_skipping(adu_.left(), kNodePartLost);
    paused_ = false;
    write_replies();
}

void AppSession::write_replies() {
    while (const auto response = replies_.poll()) {
        scratch_.clear();
        writer_.response(scratch_, *response);
        queue_.copy(scratch_);
    }
}

// ---- of a receiver

bool AppSession::can_take() const {
    return state_ == State::kReceiving && outgoing_.has_room() && queue_.pending() < kMostUnwritten;
}

void AppSession::give(const LeasedAdu &lease, const BundleAdu &adu, const Reception &reception,
                      std::span<const ByteView> payload, TimePoint now) {
    scratch_.clear();
    writer_.adu(scratch_, adu, wants_metadata_ ? &reception : nullptr);
    queue_.copy(scratch_);
    for (const ByteView piece : payload)
        if (piece.size() < kCopiedPiece)
            queue_.copy(piece);
        else
            queue_.reference(piece);
    outgoing_.add(lease, queue_.queued_offset(), now);
}

// A receiver cannot have taken what it has not got: its memory is still read.
void AppSession::handle_answer(const Response &response, TimePoint now) {
    if (response.count == 0 || response.count > outgoing_.size())
        return end("the application sent a response without a request");
    for (std::uint64_t answered = 0; answered < response.count; ++answered) {
        const OutgoingAdus::Given &oldest = outgoing_.oldest();
        if (queue_.written_offset() < oldest.end)
            return end("the application sent a response before it received the message");
        const auto expected = oldest.keep_alive ? ResponseStatus::kAck : ResponseStatus::kSuccess;
        if (response.status != expected)
            return end("the application refused an ADU or a keepalive");
        const OutgoingAdus::Given given = outgoing_.pop(now);
        if (!given.keep_alive) host_.handle_accepted(*this, given.adu, now);
    }
}

// ---- time, and the end

TimePoint AppSession::next_timeout() const {
    if (ended()) return kNever;
    if (state_ == State::kGreeting) return opened_ + limits_.handshake;
    TimePoint next = kNever;
    const bool inside = adu_.under_way() || skipped_ > 0 || !reader_.handed_back().empty();
    if (inside && wants_read(kNever)) next = std::max(heard_, read_due()) + limits_.stall;
    if (!outgoing_.empty() && limits_.accept_within > Duration::zero())
        next = std::min(next, outgoing_.waiting_since() + limits_.accept_within);
    if (keep_alive_ == Duration::zero()) return next;
    if (state_ == State::kSending)
        return wants_read(kNever) ? std::min(next, heard_ + 2 * keep_alive_) : next;
    return outgoing_.empty() ? std::min(next, heard_ + keep_alive_) : next;
}

void AppSession::handle_timeout(TimePoint now) {
    if (next_timeout() > now) return;
    if (state_ == State::kGreeting) return end("the application sent no first message in time");
    const bool idle = state_ == State::kReceiving && outgoing_.empty();
    if (!idle || heard_ + keep_alive_ > now || keep_alive_ == Duration::zero())
        return end(outgoing_.empty() ? "the application sent no data in time"
                                     : "the application sent no response in time");
    heard_ = now;
    scratch_.clear();
    writer_.keep_alive(scratch_);
    queue_.copy(scratch_);
    outgoing_.add_keep_alive(queue_.queued_offset(), now);
}

void AppSession::end(std::string_view why) {
    if (ended()) return;
    // It refers to octets of what is given to another receiver from now on.
    if (state_ == State::kReceiving) queue_.clear();
    state_ = State::kEnded;
    waiting_.clear();
    why_ = why;
    adu_.abandon();
}

}  // namespace farlink::applications
