// SPDX-License-Identifier: Apache-2.0
#include "cla/api/link_fault.hpp"

#include <array>

namespace farlink::cla {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(LinkFault::kCount_)> kFaults{
    "none",
    "peer_closed",
    "connect_failed",
    "io_error",
    "frame_too_large",
    "too_many_sessions",
    "truncated_bundle",
    "protocol_error",
    "version_mismatch",
    "contact_failure",
    "tls_failed",
    "tls_required",
    "identity_refused",
    "handshake_timeout",
    "idle_timeout",
    "termination_timeout",
    "unresponsive",
    "peer_terminated",
    "too_many_handshakes",
    "peer_refuses_bundles",
    "no_room",
};

constexpr std::array<std::string_view, static_cast<std::size_t>(Departure::kCount_)> kDepartures{
    "ack_flags_differ",        "segment_above_mru",      "reserved_flags",
    "node_id_with_service",    "other_node_id_scheme",   "unwanted_transfer_length",
    "missing_transfer_length", "empty_transfer",         "keep_alive_unexpected",
    "ack_beyond_sent",         "unknown_refusal_reason", "unknown_termination_reason",
    "length_after_start",
};

}  // namespace

std::string_view to_string(LinkFault fault) {
    const auto index = static_cast<std::size_t>(fault);
    return index < kFaults.size() ? kFaults[index] : "unknown";
}

std::string_view to_string(Departure departure) {
    const auto index = static_cast<std::size_t>(departure);
    return index < kDepartures.size() ? kDepartures[index] : "unknown";
}

}  // namespace farlink::cla
