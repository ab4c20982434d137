// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/bundle_renderer.hpp"

#include <algorithm>
#include <utility>

#include "common/base/invariant.hpp"
#include "common/bp/arriving_bundle.hpp"
#include "common/bp/fragmentation/fragment_rules.hpp"
#include "common/bp/parse.hpp"
#include "common/buffer/contact_part.hpp"
#include "common/buffer/hop_limit_request.hpp"

namespace farlink::egress {
namespace {

constexpr std::uint64_t kAnyRoom = FragmentedBundles::kAnyRoom;

/// Heads of one render() call; small enough to stay in the first-level cache.
constexpr std::size_t kScratchBytes = 32 * 1024;

/// Whether the bundle may leave in several contacts, part by part: a bundle of storage, neither
/// critical nor in pieces, if the outduct allows that and no other bundle of its batch leaves in
/// part.
bool may_leave_in_parts(const EgressLink &link, const ServedBatch &served,
                        const BatchedBundle &bundle) {
    return link.fragment_to_contact && served.batch->owner == BatchOwner::kStorage &&
           !served.batch->piece.present() && (bundle.requests & kRequestCritical) == 0 &&
           (served.cuts == nullptr || !served.cuts->has_part());
}

/// What bundle age grows by.
std::uint64_t residence_ms(const BatchedBundle &bundle, TimePoint now) {
    const auto residence = std::chrono::duration_cast<milliseconds>(now - bundle.received).count();
    return static_cast<std::uint64_t>(std::max<std::int64_t>(residence, 0));
}

}  // namespace

BundleRenderer::BundleRenderer(EgressContext &context, LinkTable &links, BatchReturns &returns,
                               NodeNumber local_node)
    : context_(context),
      links_(links),
      returns_(returns),
      editor_(bp::EidView{bp::EidScheme::kIpn, local_node.value(), 0, {}}),
      scratch_(kScratchBytes) {}

std::size_t BundleRenderer::render(EgressLink &link, std::span<TxBundle> out,
                                   std::uint64_t max_bytes, TimePoint now) {
    const DtnTime today = context_.clock.expiry_time(now);
    std::size_t count = 0;
    std::size_t scratch_used = 0;
    std::uint64_t bytes = 0;
    if (!link.served.empty() && link.served.back().cutting()) {
        TransmitRoom room{.out = out, .max_bytes = max_bytes};
        go_on_cutting(link, room, now);
        count = room.count;
        bytes = room.bytes;
        if (link.served.back().cutting()) return count;
    }
    while (count < out.size() && (count == 0 || bytes < max_bytes)) {
        if (!begin_batch(link)) break;
        ServedBatch &served = link.served.back();
        Batch &batch = *served.batch;
        BatchedBundle &bundle = batch.bundles[served.rendered];
        if (!batch.piece.first()) {
            render_further_piece(link, out[count]);
            bytes += out[count++].size;
            continue;
        }
        const bp::ForwardingEditor &editor = link.editor ? *link.editor : editor_;
        const std::size_t bound = editor.bound(head_of(batch, bundle));
        if (scratch_used + bound > scratch_.size()) {
            if (count > 0) break;
            scratch_.resize(bound);
        }
        const std::uint64_t token = served.token_base + served.rendered++;
        if (bundle.expiry <= today) {
            returns_.set_outcome(batch, bundle, Outcome::kExpired);
            continue;
        }
        std::uint64_t part_bytes = kAnyRoom;
        if (!link.volume.open_ended() && !admit(link, bundle, part_bytes, now)) {
            returns_.set_outcome(batch, bundle, Outcome::kTooLate);
            continue;
        }
        TxBundle &tx = out[count];
        const MutableBytes space{scratch_.data() + scratch_used, scratch_.size() - scratch_used};
        if (!render_one(editor, batch, bundle, tx, space, now)) continue;
        tx.token = token;
        if (batch.piece.present()) {
            if (!begin_pieces(link, tx)) continue;
        } else if (tx.size > link.cut_above || served.sent_payload > 0 || part_bytes != kAnyRoom) {
            TransmitRoom room{out, max_bytes, count, bytes};
            if (cut(link, TxBundle(tx), part_bytes, room, now)) {
                count = room.count;
                bytes = room.bytes;
                if (link.served.back().cutting()) return count;
                continue;
            }
        }
        scratch_used += tx.head.size();
        bytes += tx.size;
        ++count;
    }
    returns_.finish_rendering(link);
    return count;
}

bool BundleRenderer::admit(EgressLink &link, const BatchedBundle &bundle, std::uint64_t &part_bytes,
                           TimePoint now) {
    const ServedBatch &served = link.served.back();
    const std::uint64_t left =
        served.batch->piece.left + bundle.size - std::min(bundle.size, served.sent_payload);
    if (link.volume.admit(bundle.flow, bundle.arrival, left, now)) return true;
    if (!may_leave_in_parts(link, served, bundle)) return false;
    part_bytes = link.volume.room_for_part(bundle.flow, bundle.arrival, now);
    return part_bytes >= bundle.head_end + kLeastPartBytes;
}

bool BundleRenderer::begin_batch(EgressLink &link) {
    if (!link.served.empty() &&
        link.served.back().rendered < link.served.back().batch->bundles.size())
        return true;
    returns_.finish_rendering(link);
    BatchPtr next = next_batch(link);
    if (next == nullptr) return false;
    const std::uint64_t first = link.next_token;
    link.next_token += next->bundles.size();
    const std::uint64_t sent = next->sent_payload;
    link.served.push_back({.batch = std::move(next),
                           .first_token = first,
                           .token_base = first,
                           .sent_payload = sent,
                           .cuts = nullptr,
                           .report = {}});
    return true;
}

BatchPtr BundleRenderer::next_batch(EgressLink &link) {
    if (link.pieces.begun()) return link.pieces.pop();
    for (;;) {
        BatchPtr next = link.queue.pop();
        const bool is_void =
            next != nullptr && next->piece.present() && !link.pieces.expects(next->piece);
        if (!is_void) return next;
        returns_.return_whole(&link, std::move(next));
    }
}

/// Its further pieces leave next. False when the bundle is not for this link.
bool BundleRenderer::begin_pieces(EgressLink &link, const TxBundle &first) {
    Batch &batch = *link.served.back().batch;
    if (!link.takes_pieces || first.size + first.left > link.max_bundle_bytes) {
        returns_.set_outcome(batch, batch.bundles.front(), Outcome::kTooLarge);
        return false;
    }
    link.pieces.handle_rendered(batch.piece);
    const bool reported = (batch.requests & kReportForwarding) != 0;
    if (!reported && !context_.history.on()) return true;
    const BatchedBundle &bundle = batch.bundles.front();
    const ByteView head = batch.slices.front().first(bundle.head_end);
    const auto view = bp::ArrivingBundle().begin(batch.slices);
    link.pieces.keep_head({{head.begin(), head.end()},
                           view ? view->payload_length : 0,
                           bundle.size + batch.piece.left,
                           reported});
    return true;
}

void BundleRenderer::render_further_piece(EgressLink &link, TxBundle &out) {
    ServedBatch &served = link.served.back();
    const Batch &batch = *served.batch;
    const auto slices = batch.slices_of(batch.bundles.front());
    out.head = {};
    out.body = slices.front();
    out.rest = slices.subspan(1);
    out.size = batch.bytes;
    out.token = served.token_base + served.rendered++;
    out.continues = false;
    out.is_further_piece = true;
    out.left = batch.piece.left;
    link.pieces.handle_rendered(batch.piece);
    if (batch.piece.last()) served.report = link.pieces.take_head();
}

bool BundleRenderer::cut(EgressLink &link, const TxBundle &whole, std::uint64_t part_bytes,
                         TransmitRoom &room, TimePoint now) {
    const bool done = begin_cut(link, whole, part_bytes, room);
    if (part_bytes == kAnyRoom) return done;
    ServedBatch &served = link.served.back();
    if (done)
        link.volume.take(part_bytes, now);
    else
        returns_.set_outcome(*served.batch, served.batch->bundles[served.rendered - 1],
                             Outcome::kTooLate);
    return true;
}

bool BundleRenderer::begin_cut(EgressLink &link, const TxBundle &whole, std::uint64_t part_bytes,
                               TransmitRoom &room) {
    ServedBatch &served = link.served.back();
    const std::uint32_t place = served.rendered - 1;
    const BatchedBundle &bundle = served.batch->bundles[place];
    const auto slices = served.batch->slices_of(bundle);
    const auto view = bp::parse_again(slices);
    if (!view || !bp::may_be_fragmented(*view, slices.front().first(view->head_end))) return false;
    const bool may_end_early = may_leave_in_parts(link, served, bundle);
    if (served.cuts == nullptr) served.cuts = std::make_unique<FragmentedBundles>();
    served.cuts->begin(place, whole.token, link.cut_above);
    FragmentedBundles::Cut &cut = served.cuts->last();
    cut.room_bytes = part_bytes;
    cut.may_end_early = may_end_early;
    const std::uint64_t sent = served.sent_payload;
    if (sent < view->payload_length) cut.payload_bytes = sent;
    const BundleToCut to_cut{*view, whole.head, slices};
    add_fragments(link, to_cut, room);
    // A limit of the configuration that is too low for this bundle leaves that of the neighbour.
    if (cut.fragments == 0 && link.cut_above < link.max_bundle_bytes &&
        link.max_bundle_bytes < whole.size) {
        cut.max_bytes = link.max_bundle_bytes;
        add_fragments(link, to_cut, room);
    }
    if (cut.fragments == 0) {
        served.cuts->withdraw();
        return false;
    }
    if (sent > 0) return true;  // it was counted when its first part left
    context_.counters.increment(EgressCounter::kCut);
    links_.tally(link).increment(LinkCounter::kCut);
    return true;
}

void BundleRenderer::go_on_cutting(EgressLink &link, TransmitRoom &room, TimePoint now) {
    ServedBatch &served = link.served.back();
    Batch &batch = *served.batch;
    BatchedBundle &bundle = batch.bundles[served.cuts->last().place];
    const bp::ForwardingEditor &editor = link.editor ? *link.editor : editor_;
    const std::size_t bound = editor.bound(head_of(batch, bundle));
    if (bound > scratch_.size()) scratch_.resize(bound);
    const auto slices = batch.slices_of(bundle);
    const auto view = bp::parse_again(slices);
    // The age of these fragments is that of now.
    const auto head = editor.render(head_of(batch, bundle), residence_ms(bundle, now), scratch_);
    FARLINK_INVARIANT(view.has_value() && head.has_value());
    add_fragments(link, {*view, ByteView(scratch_).first(*head), slices}, room);
}

void BundleRenderer::add_fragments(EgressLink &link, const BundleToCut &bundle,
                                   TransmitRoom &room) {
    ServedBatch &served = link.served.back();
    FragmentedBundles::Cut &cut = served.cuts->last();
    const std::uint64_t before = cut.fragments;
    const CutStep step =
        cut_bundle(bundle, *served.cuts, cut, cut.first_token + cut.fragments, room);
    const std::uint64_t added = cut.fragments - before;
    // The batch has one token for each bundle from the beginning.
    const std::uint64_t further = before == 0 && added > 0 ? added - 1 : added;
    served.token_base += further;
    link.next_token += further;
    context_.counters.add(EgressCounter::kFragments, added);
    links_.tally(link).add(LinkCounter::kFragments, added);
    if (step == CutStep::kWhole) served.cuts->finish();
    if (step == CutStep::kContactFull && cut.fragments > 0) returns_.end_cut_early(link);
    if (step != CutStep::kFailed || cut.fragments == 0) return;
    links_.tally(link).increment(LinkCounter::kSendTooLarge);
    returns_.abandon_cut(link, Outcome::kTooLarge);
}

bp::BundleHead BundleRenderer::head_of(const Batch &batch, const BatchedBundle &bundle) const {
    const bool limited = (bundle.requests & kRequestHopLimit) != 0;
    return {batch.slices[bundle.first_slice].first(bundle.head_end), bundle.primary_end,
            bundle.version, limited ? added_hop_limit_ : std::uint8_t{0}};
}

bool BundleRenderer::render_one(const bp::ForwardingEditor &editor, Batch &batch,
                                BatchedBundle &bundle, TxBundle &out, MutableBytes space,
                                TimePoint now) {
    const auto head = editor.render(head_of(batch, bundle), residence_ms(bundle, now), space);
    if (!head) {
        const bool hops = head.error() == bp::ParseError::kHopLimitExceeded;
        returns_.set_outcome(batch, bundle,
                             hops ? Outcome::kDeletedHopLimit : Outcome::kDeletedUnreadable);
        return false;
    }
    const auto slices = batch.slices_of(bundle);
    out.head = space.first(*head);
    out.body = slices.front().subspan(bundle.head_end);
    out.rest = slices.subspan(1);
    out.continues = out.is_further_piece = false;
    out.left = batch.piece.left;
    out.size = *head + bundle.size - bundle.head_end;
    return true;
}

}  // namespace farlink::egress
