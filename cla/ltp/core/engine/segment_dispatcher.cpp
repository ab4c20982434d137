// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/engine/segment_dispatcher.hpp"

namespace farlink::cla::ltp {
namespace {

/// A stream with a longer segment counts as malformed.
constexpr std::size_t kLongestSegment = 1U << 20U;

/// Sent by the receiver of a block that this engine sends.
bool answers_sender(SegmentType type) {
    return type == SegmentType::kReport || type == SegmentType::kCancelByReceiver ||
           type == SegmentType::kCancelAckToSender;
}

}  // namespace

// RFC 5327 section 2.1. A segment that is not authentic changes nothing but a counter.
bool SegmentDispatcher::authentic(Peer &peer, const Segment &segment) {
    if (peer.config.authenticator == nullptr) return true;
    switch (authenticity_of(segment, *peer.config.authenticator)) {
        case Authenticity::kAuthentic:
            return true;
        case Authenticity::kMissing:
            ++peer.counters.unauthenticated;
            break;
        case Authenticity::kOtherKey:
            ++peer.counters.other_keys;
            break;
        case Authenticity::kForged:
            ++peer.counters.forged;
            break;
    }
    return false;
}

bool SegmentDispatcher::concerns(const Peer &peer, const Segment &segment) const {
    return segment.originator == context_.config.engine.value() ||
           (segment.originator == peer.config.engine.value() && segment.originator != 0);
}

void SegmentDispatcher::handle_datagram(Peer &peer, ByteView datagram, TimePoint now) {
    context_.now = now;
    const TimePoint at = peer.clock.at(now);
    bool after_report = false;
    do {
        const auto segment = decode_segment(datagram);
        // Some implementations send meaningless octets behind a report.
        if (after_report && !(segment && concerns(peer, *segment))) {
            ++peer.counters.trailing_octets;
            return;
        }
        if (!segment) {
            // RFC 5326 section 6: discarded. The start of the next segment cannot be found.
            ++peer.counters.malformed[static_cast<std::size_t>(segment.error())];
            return;
        }
        datagram = datagram.subspan(segment->octets.size());
        after_report = segment->type == SegmentType::kReport;
        handle_segment(peer, *segment, at);
    } while (!datagram.empty());
}

bool SegmentDispatcher::handle_bytes(Peer &peer, ByteView octets, TimePoint now) {
    context_.now = now;
    const TimePoint at = peer.clock.at(now);
    Bytes &carry = peer.carry;
    if (!carry.empty()) {
        append(carry, octets);
        octets = carry;
    }
    bool followed = true;
    while (!octets.empty()) {
        const auto segment = decode_segment(octets);
        if (!segment) {
            followed =
                segment.error() == SegmentError::kTruncated && octets.size() <= kLongestSegment;
            if (!followed) ++peer.counters.malformed[static_cast<std::size_t>(segment.error())];
            break;
        }
        octets = octets.subspan(segment->octets.size());
        handle_segment(peer, *segment, at);
    }
    if (!followed) octets = {};
    if (carry.empty())
        carry.assign(octets.begin(), octets.end());
    else
        carry.erase(carry.begin(), carry.end() - static_cast<std::ptrdiff_t>(octets.size()));
    return followed;
}

void SegmentDispatcher::handle_segment(Peer &peer, const Segment &segment, TimePoint at) {
    ++peer.counters.segments_received;
    peer.counters.bytes_received += segment.octets.size();
    if (!authentic(peer, segment)) return;
    const bool ours = answers_sender(segment.type);
    // Engine id 0 is configured where the id is unknown; the peer's first session supplies it.
    if (!ours && peer.config.engine == EngineId{})
        peer.config.engine = EngineId{segment.originator};
    if (segment.originator != (ours ? context_.config.engine : peer.config.engine).value()) {
        ++peer.counters.foreign_sessions;
        return;
    }
    pings_.note_received(peer, at);
    switch (segment.type) {
        case SegmentType::kReport:
            return sending_.handle_report(peer, segment, at);
        case SegmentType::kReportAck:
            return receiving_.handle_report_ack(peer, segment, at);
        case SegmentType::kCancelBySender:
            receiving_.handle_cancel(peer, segment);
            return acknowledge_cancel(peer, segment);
        case SegmentType::kCancelByReceiver:
            if (sending_.handle_cancel(peer, segment)) acknowledge_cancel(peer, segment);
            return;
        case SegmentType::kCancelAckToSender:
            if (!pings_.handle_cancel_ack(peer, segment.session))
                sending_.handle_cancel_ack(peer, segment);
            return;
        case SegmentType::kCancelAckToReceiver:
            return receiving_.handle_cancel_ack(peer, segment);
        default:
            return receiving_.handle_data(peer, segment, at);
    }
}

// RFC 5326 section 6.17: acknowledged whether the session is known or not.
void SegmentDispatcher::acknowledge_cancel(Peer &peer, const Segment &segment) {
    ControlSegment ack;
    ack.type = segment.type == SegmentType::kCancelBySender ? SegmentType::kCancelAckToSender
                                                            : SegmentType::kCancelAckToReceiver;
    ack.originator = segment.originator;
    ack.session = segment.session;
    peer.answer(ack);
}

}  // namespace farlink::cla::ltp
