// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/bundle_renderer.hpp"

#include <algorithm>
#include <utility>

#include "common/buffer/hop_limit_request.hpp"

namespace farlink::egress {
namespace {

/// Heads of one render() call; small enough to stay in the first-level cache.
constexpr std::size_t kScratchBytes = 32 * 1024;

}  // namespace

BundleRenderer::BundleRenderer(EgressContext &context, BatchReturns &returns, NodeNumber local_node)
    : context_(context),
      returns_(returns),
      editor_(bp::EidView{bp::EidScheme::kIpn, local_node.value(), 0, {}}),
      scratch_(kScratchBytes) {}

std::size_t BundleRenderer::render(EgressLink &link, std::span<TxBundle> out,
                                   std::uint64_t max_bytes, TimePoint now) {
    const DtnTime today = context_.clock.expiry_time(now);
    std::size_t count = 0;
    std::size_t scratch_used = 0;
    std::uint64_t bytes = 0;
    while (count < out.size() && (count == 0 || bytes < max_bytes)) {
        if (!begin_batch(link)) break;
        ServedBatch &served = link.served.back();
        Batch &batch = *served.batch;
        BatchedBundle &bundle = batch.bundles[served.rendered];
        const bp::TransitEditor &editor = link.editor ? *link.editor : editor_;
        const std::size_t bound = editor.bound(head_of(batch, bundle));
        if (scratch_used + bound > scratch_.size()) {
            if (count > 0) break;
            scratch_.resize(bound);
        }
        const std::uint64_t token = served.first_token + served.rendered++;
        if (bundle.expiry <= today) {
            returns_.set_outcome(batch, bundle, Outcome::kExpired);
            continue;
        }
        if (!link.volume.admit(bundle.flow, bundle.size, now)) {
            returns_.set_outcome(batch, bundle, Outcome::kTooLate);
            continue;
        }
        TxBundle &tx = out[count];
        const MutableBytes space{scratch_.data() + scratch_used, scratch_.size() - scratch_used};
        if (!render_one(editor, batch, bundle, tx, space, now)) continue;
        scratch_used += tx.head.size();
        tx.token = token;
        bytes += tx.size;
        ++count;
    }
    returns_.finish_rendering(link);
    return count;
}

bool BundleRenderer::begin_batch(EgressLink &link) {
    if (!link.served.empty() &&
        link.served.back().rendered < link.served.back().batch->bundles.size())
        return true;
    returns_.finish_rendering(link);
    BatchPtr next = link.queue.pop();
    if (next == nullptr) return false;
    const std::uint64_t first = link.next_token;
    link.next_token += next->bundles.size();
    link.served.push_back({.batch = std::move(next), .first_token = first});
    return true;
}

bp::TransitHead BundleRenderer::head_of(const Batch &batch, const BatchedBundle &bundle) const {
    const bool limited = (bundle.requests & kRequestHopLimit) != 0;
    return {batch.slices[bundle.first_slice].first(bundle.head_end), bundle.primary_end,
            bundle.version, limited ? added_hop_limit_ : std::uint8_t{0}};
}

bool BundleRenderer::render_one(const bp::TransitEditor &editor, Batch &batch,
                                BatchedBundle &bundle, TxBundle &out, MutableBytes space,
                                TimePoint now) {
    const auto residence = std::chrono::duration_cast<milliseconds>(now - bundle.received).count();
    const auto head =
        editor.render(head_of(batch, bundle),
                      static_cast<std::uint64_t>(std::max<std::int64_t>(residence, 0)), space);
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
    out.size = *head + bundle.size - bundle.head_end;
    return true;
}

}  // namespace farlink::egress
