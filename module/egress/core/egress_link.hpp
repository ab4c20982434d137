// SPDX-License-Identifier: Apache-2.0
// One link as egress sees it: its contact, its queue, and the batches that are on it.
// Values of LinkTable.
// One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "common/base/bit_rate.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/bp/forwarding_editor.hpp"
#include "common/buffer/batch.hpp"
#include "common/buffer/ring.hpp"
#include "common/config/node/node_config.hpp"
#include "common/telemetry/link_tallies.hpp"
#include "module/egress/core/fragments/fragmented_bundles.hpp"
#include "module/egress/core/out_queue.hpp"
#include "module/egress/core/pieces/pieces_on_link.hpp"
#include "module/egress/core/residual_contact_volume.hpp"

namespace farlink::egress {

/// What is known of an outduct before it connects.
struct OutductTraits {
    std::string_view node_id{};  ///< of this node towards the neighbour; empty: the usual one
    std::uint32_t stored_share_percent = 50;
    BitRate rate_limit{};  ///< 0: none
    /// What is not acknowledged when its contact ends has to be sent again: TCPCL. (LTP's sessions
    /// wait for the next contact, the other convergence layers have no acknowledgements.)
    bool needs_answers = false;
    bool fragment = true;                    ///< bundles to it may be cut
    std::uint64_t fragment_above_bytes = 0;  ///< bundles above it are cut; 0: no such limit
    bool fragment_to_contact = false;        ///< bundles are cut at the end of a contact
};
[[nodiscard]] inline OutductTraits traits_of(const config::OutductConfig &outduct) {
    const std::string &scheme = outduct.url.scheme;
    return {.node_id = outduct.node_id,
            .stored_share_percent = outduct.stored_share_percent,
            .rate_limit = outduct.rate_limit,
            .needs_answers = scheme == "tcpclv4" || scheme == "tcpclv3",
            .fragment = outduct.fragment,
            .fragment_above_bytes = outduct.fragment_above_bytes,
            .fragment_to_contact = outduct.fragment_to_contact};
}

/// A batch whose bundles carry the tokens first_token, first_token + 1, ...; a bundle that is cut
/// has one token for each fragment.
struct ServedBatch {
    BatchPtr batch;
    std::uint64_t first_token = 0;
    std::uint64_t token_base = 0;  ///< the bundle at place i to be rendered next gets this + i
    std::uint32_t rendered = 0;    ///< bundles already given to the link (or failed)
    std::uint32_t reported = 0;    ///< bundles that handle_transmitted() has set the outcome of
    bool gone_through = false;     ///< bundles that do not leave were returned early
    /// Of its one bundle, octets of the payload that have left before.
    std::uint64_t sent_payload = 0;
    std::uint64_t published = 0;  ///< bundles that were returned early
    std::uint64_t published_bytes = 0;
    std::unique_ptr<FragmentedBundles> cuts;  ///< null while no bundle of the batch is cut
    ReportableHead report;                    ///< it is the last piece of that bundle

    [[nodiscard]] bool cutting() const { return cuts != nullptr && cuts->open(); }
    /// The tokens that its rendered bundles have.
    [[nodiscard]] std::uint64_t tokens() const { return rendered + (token_base - first_token); }
    /// How many of its bundles are handed over when all tokens below `token` are.
    [[nodiscard]] std::uint32_t handed_over(std::uint64_t token) const {
        const std::uint64_t bundles =
            cuts == nullptr ? token - first_token : cuts->whole_below(first_token, token);
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(bundles, rendered));
    }
};

struct EgressLink {
    LinkId id = kNoLink;
    NodeNumber neighbour;
    bool planned = false;
    bool suspended = false;  ///< its contact is over; what was sent may wait for the next one
    bool connected = false;
    std::uint64_t max_bundle_bytes = ~std::uint64_t{0};  ///< while it is connected
    bool takes_pieces = false;                           ///< while it is connected
    bool fragment = true;                    ///< the outduct allows that bundles are cut
    std::uint64_t fragment_above_bytes = 0;  ///< of the outduct; 0: no such limit
    bool fragment_to_contact = false;        ///< a bundle is cut to fit the rest of a contact
    /// Bundles that are larger as they leave are cut, if they may be.
    std::uint64_t cut_above = ~std::uint64_t{0};
    bool ready = false;  ///< LinkTable::poll_ready() will name it
    bool removed = false;
    BitRate rate;
    DtnTime end = kDtnNever;  ///< of its contact
    ResidualContactVolume volume;
    bool needs_answers = false;
    Duration owlt{};
    TimePoint not_before{};  ///< the next hop has no resources: nothing is sent before this
    Duration back_off{};
    std::uint64_t next_token = 0;
    /// For a neighbour towards which this node has another node id: it is the previous node there.
    std::optional<bp::ForwardingEditor> editor;
    OutQueue queue;
    PiecesOnLink pieces;
    Ring<ServedBatch> served;  ///< oldest first; only the last may be partly rendered
    telemetry::LinkTallies::Entry *tally = nullptr;  ///< found at its first use
};

}  // namespace farlink::egress
