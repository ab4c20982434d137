// SPDX-License-Identifier: Apache-2.0
// The names of numbers in bundles: blocks, flags, reasons, security contexts.
// Constants and plain functions.
// Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "apps/bpinspect/core/octet_text.hpp"
#include "common/bp/v6/block.hpp"
#include "common/bp/v7/block.hpp"

namespace farlink::inspect {

/// RFC 9171 section 4.2.3.
inline constexpr std::array<BitName, 9> kBundleFlags7{
    {{bp::v7::kIsFragment, "is a fragment"},
     {bp::v7::kIsAdminRecord, "is an administrative record"},
     {bp::v7::kMustNotFragment, "must not be fragmented"},
     {bp::v7::kAckRequested, "acknowledgement by the application requested"},
     {bp::v7::kStatusTimeRequested, "times in reports requested"},
     {bp::v7::kReportReceptionFlag, "report reception"},
     {bp::v7::kReportForwardingFlag, "report forwarding"},
     {bp::v7::kReportDeliveryFlag, "report delivery"},
     {bp::v7::kReportDeletionFlag, "report deletion"}}};

/// RFC 9171 section 4.2.4.
inline constexpr std::array<BitName, 4> kBlockFlags7{
    {{bp::v7::kReplicateBlock, "in every fragment"},
     {bp::v7::kReportIfUnprocessable, "report if unprocessable"},
     {bp::v7::kDeleteBundleIfUnprocessable, "delete the bundle if unprocessable"},
     {bp::v7::kDiscardBlockIfUnprocessable, "discard the block if unprocessable"}}};

/// RFC 5050 section 4.2; the priority apart.
inline constexpr std::array<BitName, 11> kBundleFlags6{
    {{bp::v6::kIsFragment, "is a fragment"},
     {bp::v6::kIsAdminRecord, "is an administrative record"},
     {bp::v6::kMustNotFragment, "must not be fragmented"},
     {bp::v6::kCustodyRequested, "custody requested"},
     {bp::v6::kSingletonDestination, "singleton destination"},
     {bp::v6::kAckRequested, "acknowledgement by the application requested"},
     {bp::v6::kReportReceptionFlag, "report reception"},
     {bp::v6::kReportCustodyFlag, "report custody acceptance"},
     {bp::v6::kReportForwardingFlag, "report forwarding"},
     {bp::v6::kReportDeliveryFlag, "report delivery"},
     {bp::v6::kReportDeletionFlag, "report deletion"}}};

/// RFC 5050 section 4.3.
inline constexpr std::array<BitName, 7> kBlockFlags6{
    {{bp::v6::kReplicateBlock, "in every fragment"},
     {bp::v6::kReportIfUnprocessable, "report if unprocessable"},
     {bp::v6::kDeleteBundleIfUnprocessable, "delete the bundle if unprocessable"},
     {bp::v6::kLastBlock, "last block"},
     {bp::v6::kDiscardBlockIfUnprocessable, "discard the block if unprocessable"},
     {bp::v6::kForwardedUnprocessed, "was forwarded without being processed"},
     {bp::v6::kHasEidReferences, "contains endpoint references"}}};

/// "payload", "block type 200".
[[nodiscard]] std::string block_name7(std::uint64_t type);
[[nodiscard]] std::string block_name6(std::uint64_t type);

/// RFC 9171 section 9.5, RFC 9172 section 11.2; RFC 5050 section 6.1.1.
[[nodiscard]] std::string report_reason7(std::uint64_t reason);
[[nodiscard]] std::string report_reason6(std::uint64_t reason);
/// RFC 5050 section 6.1.2.
[[nodiscard]] std::string custody_reason(std::uint64_t reason);
/// Record types (RFC 9171 section 9.4).
[[nodiscard]] std::string record_name7(std::uint64_t type);
[[nodiscard]] std::string record_name6(std::uint64_t type);

/// RFC 9173 sections 3 and 4.
inline constexpr std::uint64_t kHmacSha2Context = 1;
inline constexpr std::uint64_t kAesGcmContext = 2;
[[nodiscard]] std::string context_name(std::uint64_t context);
[[nodiscard]] std::string parameter_name(std::uint64_t context, std::uint64_t id);
[[nodiscard]] std::string result_name(std::uint64_t context, std::uint64_t id);

}  // namespace farlink::inspect
