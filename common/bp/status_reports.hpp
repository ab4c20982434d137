// SPDX-License-Identifier: Apache-2.0
// Makes status reports (RFC 9171 section 6.1.1, RFC 5050 section 6.1.1) and echo replies.
// Plain functions; the codecs of the records are in v6/ and v7/.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "common/bp/parse.hpp"
#include "common/bp/report_reason.hpp"

namespace farlink::bp {

/// What is reported, in the order of the status items of RFC 9171.
enum class ReportEvent : std::uint8_t {
    kReceived = 0,
    kForwarded = 1,
    kDelivered = 2,
    kDeleted = 3
};

/// Nodes that a bundle made here may come through (RFC 9171 section 4.4.3); BPv6 has no such block.
inline constexpr std::uint8_t kUsualHopLimit = 64;

/// Whether a report may be sent: the bundle has a report-to endpoint, which is not the local node
/// of whatever node made the bundle (RFC 9758), and is not an administrative record itself (RFC
/// 9171 section 4.2.3).
[[nodiscard]] bool can_report(const BundleView &view);
/// Whether the bundle requests a report of `event`. A block may itself request a report if it is
/// unknown (UnknownBlocks::report); then only can_report() decides.
[[nodiscard]] bool wants_report(const BundleView &view, ReportEvent event);

/// A bundle of the subject's version from `local` (an administrative endpoint) to its report-to
/// endpoint; empty if can_report() is false. `now_ms` is DTN time (0: no clock), `sequence` the
/// number of the report's creation timestamp. Its lifetime is that of the subject. With a
/// `hop_limit` of 0 it has no hop count block.
[[nodiscard]] std::optional<Bytes> make_status_report(const BundleView &subject, ReportEvent event,
                                                      ReportReason reason, DtnTime now_ms,
                                                      std::uint64_t sequence, const EidView &local,
                                                      std::uint8_t hop_limit = kUsualHopLimit);

/// The answer of an echo service: the payload returns to the source, from `local`, an endpoint that
/// does not answer, so that two echo services do not answer each other endlessly. `slices` are the
/// bundle's octets. Empty if the source is the null endpoint.
[[nodiscard]] std::optional<Bytes> make_echo_reply(const BundleView &view,
                                                   std::span<const ByteView> slices, DtnTime now_ms,
                                                   std::uint64_t sequence, const EidView &local,
                                                   std::uint8_t hop_limit = kUsualHopLimit);

}  // namespace farlink::bp
