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
    "no_client",
    "transfer_stalled",
    "not_tcpcl",
    "stcp_not_tcpcl",
    "tcpcl_not_stcp",
    "tcpcl_not_mtcp",
    "tcpcl_version_3",
    "tcpcl_version_4",
    "peer_requires_tls",
    "stcp_not_mtcp",
    "mtcp_not_stcp",
    "peer_refused_session",
};

constexpr std::array<std::string_view, static_cast<std::size_t>(LinkFault::kCount_)> kWords{
    "closed on this side",
    "the neighbour closed the connection",
    "no peer accepts connections at the address",
    "the connection was lost",
    "the neighbour announced a bundle larger than this link accepts (maxBundleSizeBytes)",
    "the link has no session left for this peer (maxSessions)",
    "the connection ended inside a bundle",
    "the neighbour violated the standard of the convergence layer, or uses another protocol",
    "the neighbour uses another version of the convergence layer",
    "the session parameters of both sides are not compatible",
    "the TLS handshake failed",
    "this link requires TLS and the neighbour does not use it",
    "the neighbour is not the expected node",
    "the neighbour did not open its session in time",
    "the neighbour sent no data for longer than the idle timeout",
    "the neighbour did not end its session in time",
    "the neighbour does not acknowledge",
    "the neighbour ended the session",
    "too many peers are opening a session (maxHandshakes)",
    "the neighbour refuses one bundle after the other",
    "no space for the neighbour's bundles, in memory or in storage",
    "the neighbour's LTP engine does not have the client service for bundles (clientServiceId)",
    "the neighbour stopped sending inside a bundle",
    "the neighbour does not use TCPCL: its first octets are not a contact header",
    "the neighbour does not use TCPCL: its first octets look like STCP",
    "the neighbour does not use STCP: its first octets look like TCPCL",
    "the neighbour does not use MTCP: its first octets look like TCPCL",
    "the neighbour uses version 3 of TCPCL and this link version 4: use `tcpclv3`",
    "the neighbour uses version 4 of TCPCL and this link version 3: use `tcpclv4`",
    "the neighbour requires TLS and this link does not use it",
    "the neighbour does not use MTCP: its first octets look like STCP",
    "the neighbour does not use STCP: its first octets look like MTCP",
    "the neighbour refused the session: it does not accept the node id, the certificate or the "
    "parameters of this side; its log has the reason",
};

constexpr std::array<std::string_view, static_cast<std::size_t>(ProtocolDeviation::kCount_)>
    kDeviations{
        "ack_flags_differ",        "segment_above_mru",      "reserved_flags",
        "node_id_with_service",    "other_node_id_scheme",   "unwanted_transfer_length",
        "missing_transfer_length", "empty_transfer",         "keep_alive_unexpected",
        "ack_beyond_sent",         "unknown_refusal_reason", "unknown_termination_reason",
        "length_after_start",      "unnumbered_blocks",      "primary_without_crc",
        "age_block_missing",
    };

}  // namespace

std::string_view to_string(LinkFault fault) {
    const auto index = static_cast<std::size_t>(fault);
    return index < kFaults.size() ? kFaults[index] : "unknown";
}

std::string_view in_words(LinkFault fault) {
    const auto index = static_cast<std::size_t>(fault);
    return index < kWords.size() ? kWords[index] : "unknown";
}

std::string in_words(LinkFault fault, std::string_view detail) {
    std::string words(in_words(fault));
    if (!detail.empty()) words.append(": ").append(detail);
    return words;
}

std::string_view to_string(ProtocolDeviation deviation) {
    const auto index = static_cast<std::size_t>(deviation);
    return index < kDeviations.size() ? kDeviations[index] : "unknown";
}

}  // namespace farlink::cla
