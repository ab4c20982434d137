// SPDX-License-Identifier: Apache-2.0
// One link as egress sees it: its contact, its queue, and the batches that are on it.
// Values of LinkTable.
// One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/bit_rate.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/bp/transit.hpp"
#include "common/buffer/batch.hpp"
#include "common/buffer/ring.hpp"
#include "common/config/node/node_config.hpp"
#include "common/telemetry/link_tallies.hpp"
#include "module/egress/core/out_queue.hpp"
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
};
[[nodiscard]] inline OutductTraits traits_of(const config::OutductConfig &outduct) {
    const std::string &scheme = outduct.url.scheme;
    return {.node_id = outduct.node_id,
            .stored_share_percent = outduct.stored_share_percent,
            .rate_limit = outduct.rate_limit,
            .needs_answers = scheme == "tcpclv4" || scheme == "tcpclv3"};
}

/// A batch whose bundles carry the tokens first_token, first_token + 1, ...
struct ServedBatch {
    BatchPtr batch;
    std::uint64_t first_token = 0;
    std::uint32_t rendered = 0;   ///< bundles already given to the link (or failed)
    std::uint32_t reported = 0;   ///< bundles that handle_transmitted() has set the outcome of
    bool gone_through = false;    ///< bundles that do not leave were returned early
    std::uint64_t published = 0;  ///< bundles that were returned early
    std::uint64_t published_bytes = 0;
};

struct EgressLink {
    LinkId id = kNoLink;
    NodeNumber neighbour;
    bool planned = false;
    bool suspended = false;  ///< its contact is over; what was sent may wait for the next one
    bool connected = false;
    std::uint64_t max_bundle_bytes = ~std::uint64_t{0};  ///< while it is connected
    bool ready = false;                                  ///< LinkTable::poll_ready() will name it
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
    std::optional<bp::TransitEditor> editor;
    OutQueue queue;
    Ring<ServedBatch> served;  ///< oldest first; only the last may be partly rendered
    telemetry::LinkTallies::Entry *tally = nullptr;  ///< found at its first use
};

}  // namespace farlink::egress
