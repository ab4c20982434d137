// SPDX-License-Identifier: Apache-2.0
// The engine's sending side: whose segment leaves next. Answers first, then reports, then what is
// sent again, then new data in the order of the blocks.
#include <algorithm>

#include "cla/ltp/core/engine.hpp"

namespace farlink::cla::ltp {

Frame Engine::frame_of(const Peer &peer, const SenderSession &session) const {
    const SenderSession::Start &info = session.info();
    const auto overhead = static_cast<std::uint32_t>(
        SegmentWriter::overhead(config_.engine.value(), info.number, peer.config.authenticator));
    // A full segment has the data MTU at offset 0; later ones have longer offsets and less data,
    // so that all have one size, which segmentation offload needs.
    const auto fields = static_cast<std::uint32_t>(codec::sdnv_size(info.service) + 1 +
                                                   codec::sdnv_size(peer.config.data_mtu));
    return {peer.config.data_mtu + overhead + fields, overhead};
}

void Engine::write_plan(const Peer &peer, const SenderSession &session, const SegmentPlan &plan,
                        SegmentWriter &writer) const {
    static_cast<void>(peer);
    if (is_data(plan.type))
        return writer.data(plan, session.block(), config_.engine.value(), session.info().number);
    ControlSegment cancel;
    cancel.type = plan.type;
    cancel.reason = plan.reason;
    cancel.originator = config_.engine.value();
    cancel.session = session.info().number;
    writer.control(cancel);
}

bool Engine::wants_to_send(PeerId id) const {
    const Peer *const peer = find_peer(id);
    if (peer == nullptr) return false;
    const bool open = peer->clock.is_open();
    if ((open || peer->config.answers_always) &&
        !(peer->answers.empty() && peer->receivers.empty()))
        return true;
    return open && !(peer->urgent.empty() && peer->first.empty());
}

void Engine::poll_segments(PeerId id, OutBatch &batch, std::uint64_t max_bytes, TimePoint now) {
    Peer *const found = find_peer(id);
    if (found == nullptr) return;
    Peer &peer = *found;
    const bool open = peer.clock.is_open();
    if (!open && !peer.config.answers_always) return;
    const TimePoint at = peer.clock.at(now);
    const std::size_t segments = batch.segments().size();
    const std::uint64_t bytes = batch.bytes();
    const std::uint64_t rated = batch.rated_bytes();
    max_bytes = max_bytes > ~std::uint64_t{0} - rated ? ~std::uint64_t{0} : max_bytes + rated;
    SegmentWriter writer(batch, peer.config.authenticator);
    poll_answers(peer, writer, batch, max_bytes);
    poll_receivers(peer, writer, batch, max_bytes, at);
    if (open) {
        poll_urgent(peer, writer, batch, max_bytes, at);
        poll_first(peer, writer, batch, max_bytes, at);
    }
    peer.counters.segments_sent += batch.segments().size() - segments;
    peer.counters.bytes_sent += batch.bytes() - bytes;
}

void Engine::poll_answers(Peer &peer, SegmentWriter &writer, OutBatch &batch,
                          std::uint64_t max_bytes) {
    while (!peer.answers.empty() && batch.rated_bytes() < max_bytes && writer.has_room())
        writer.control(peer.answers.pop_front());
}

void Engine::poll_receivers(Peer &peer, SegmentWriter &writer, OutBatch &batch,
                            std::uint64_t max_bytes, TimePoint at) {
    while (!peer.receivers.empty()) {
        const SessionHandle handle = peer.receivers.front();
        ReceiverSession *const session = receivers_.find(handle);
        while (session != nullptr && session->wants_to_send(at, receiver_pools_)) {
            if (batch.rated_bytes() >= max_bytes || !writer.has_room(peer.config.report_mtu))
                return;
            ControlSegment segment;
            segment.originator = peer.config.engine.value();
            segment.session = session->info().number;
            if (session->poll_cancel(at)) {
                segment.type = SegmentType::kCancelByReceiver;
                segment.reason = session->reason();
                writer.control(segment);
            } else if (const Report *const report = session->poll_report(at, receiver_pools_)) {
                segment.type = SegmentType::kReport;
                segment.report = {report->serial,
                                  report->checkpoint,
                                  report->scope.end,
                                  report->scope.begin,
                                  0,
                                  {}};
                writer.report(segment, session->received(), receiver_pools_.intervals,
                              peer.config.report_mtu, session->withheld(*report));
                ++peer.counters.reports_sent;
            }
        }
        peer.receivers.pop_front();
        if (session == nullptr) continue;
        session->queued = false;
        update_receiver(peer, handle.slot, at);
    }
}

void Engine::poll_urgent(Peer &peer, SegmentWriter &writer, OutBatch &batch,
                         std::uint64_t max_bytes, TimePoint at) {
    while (!peer.urgent.empty()) {
        const SessionHandle handle = peer.urgent.front();
        SenderSession *const session = senders_.find(handle);
        if (session != nullptr) {
            const Frame frame = frame_of(peer, *session);
            while (true) {
                if (batch.rated_bytes() >= max_bytes || !writer.has_room()) return;
                const auto plan = session->plan_urgent(frame, at, sender_pools_);
                if (!plan) break;
                write_plan(peer, *session, *plan, writer);
                ++peer.counters.segments_repeated;
            }
        }
        peer.urgent.pop_front();
        if (session == nullptr) continue;
        session->queued = false;
        update_sender(peer, handle.slot, at);
    }
}

void Engine::poll_first(Peer &peer, SegmentWriter &writer, OutBatch &batch, std::uint64_t max_bytes,
                        TimePoint at) {
    const SenderLimits limits = peer.sender_limits();
    while (!peer.first.empty()) {
        const SessionHandle handle = peer.first.front();
        SenderSession *const session = senders_.find(handle);
        if (session != nullptr && session->state() == SenderState::kSending) {
            const Frame frame = frame_of(peer, *session);
            bool asked = false;
            while (session->state() == SenderState::kSending) {
                if (batch.rated_bytes() >= max_bytes || !writer.has_room()) {
                    if (asked) update_sender(peer, handle.slot, at);
                    return;
                }
                const SegmentPlan plan = session->plan_next(frame, limits, at, sender_pools_);
                asked = asked || is_checkpoint(plan.type);
                write_plan(peer, *session, plan, writer);
            }
            peer.first.pop_front();
            update_sender(peer, handle.slot, at);
        } else {
            peer.first.pop_front();
        }
    }
}

}  // namespace farlink::cla::ltp
