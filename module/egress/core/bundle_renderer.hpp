// SPDX-License-Identifier: Apache-2.0
// Takes bundles from the queue of a link and renders them for it: a new head in front of the
// unchanged payload. Bundles that have expired, are too late or have no hop left get their outcome.
// Owned by EgressCore; one thread.
#pragma once

#include <cstdint>
#include <span>

#include "common/bp/forwarding_editor.hpp"
#include "common/buffer/tx_bundle.hpp"
#include "module/egress/core/batch_returns.hpp"
#include "module/egress/core/fragments/fragment_renderer.hpp"

namespace farlink::egress {

class BundleRenderer {
public:
    BundleRenderer(EgressContext &context, LinkTable &links, BatchReturns &returns,
                   NodeNumber local_node);

    /// Of the hop count block that bundles with kRequestHopLimit get; 0: they get none.
    void set_added_hop_limit(std::uint8_t limit) { added_hop_limit_ = limit; }
    /// Renders up to out.size() bundles of at most `max_bytes` together (at least one). Their heads
    /// are valid until the next call, their bodies until their outcome is known.
    [[nodiscard]] std::size_t render(EgressLink &link, std::span<TxBundle> out,
                                     std::uint64_t max_bytes, TimePoint now);

private:
    /// False when neither the bundle nor a part of it fits the contact. If only a part is to leave,
    /// `part_bytes` is what that may have of the contact.
    [[nodiscard]] static bool admit(EgressLink &link, const BatchedBundle &bundle,
                                    std::uint64_t &part_bytes, TimePoint now);
    /// Renders fragments of the bundle that `whole` is, in its place, in `part_bytes` of the
    /// contact. False when it cannot be cut, and leaves as it is; a bundle that may leave only in
    /// part then has its outcome.
    [[nodiscard]] bool cut(EgressLink &link, const TxBundle &whole, std::uint64_t part_bytes,
                           TransmitRoom &room, TimePoint now);
    [[nodiscard]] bool begin_cut(EgressLink &link, const TxBundle &whole, std::uint64_t part_bytes,
                                 TransmitRoom &room);
    /// Renders further fragments of the bundle that is being cut.
    void go_on_cutting(EgressLink &link, TransmitRoom &room, TimePoint now);
    void add_fragments(EgressLink &link, const BundleToCut &bundle, TransmitRoom &room);
    [[nodiscard]] bool begin_batch(EgressLink &link);
    /// Null while nothing may leave. A first piece whose bundle was broken off is returned.
    [[nodiscard]] BatchPtr next_batch(EgressLink &link);
    [[nodiscard]] bool begin_pieces(EgressLink &link, const TxBundle &first);
    static void render_further_piece(EgressLink &link, TxBundle &out);
    [[nodiscard]] bool render_one(const bp::ForwardingEditor &editor, Batch &batch,
                                  BatchedBundle &bundle, TxBundle &out, MutableBytes space,
                                  TimePoint now);
    [[nodiscard]] bp::BundleHead head_of(const Batch &batch, const BatchedBundle &bundle) const;

    EgressContext &context_;
    LinkTable &links_;
    BatchReturns &returns_;
    bp::ForwardingEditor editor_;
    std::uint8_t added_hop_limit_ = 0;
    Bytes scratch_;  ///< the heads of one call
};

}  // namespace farlink::egress
