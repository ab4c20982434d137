// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/block/fault.hpp"

#include <array>

namespace farlink::bp::bpsec {
namespace {

constexpr std::array<std::string_view, kFaultCount> kFaultNames = {"bad_bundle",
                                                                   "bad_block",
                                                                   "too_many",
                                                                   "no_target",
                                                                   "repeated_target",
                                                                   "target_missing",
                                                                   "service_twice",
                                                                   "target_is_security",
                                                                   "target_is_primary",
                                                                   "shares_no_target",
                                                                   "not_replicated",
                                                                   "may_be_discarded",
                                                                   "result_count",
                                                                   "repeated_item",
                                                                   "unknown_context",
                                                                   "unknown_parameter",
                                                                   "unknown_result",
                                                                   "bad_parameter",
                                                                   "bad_result",
                                                                   "parameter_missing",
                                                                   "result_missing",
                                                                   "is_fragment",
                                                                   "target_encrypted",
                                                                   "no_operation",
                                                                   "no_key",
                                                                   "wrong_key",
                                                                   "unwrap_failed",
                                                                   "mismatch",
                                                                   "split_breaks_signature",
                                                                   "primary_covered",
                                                                   "no_number",
                                                                   "no_room",
                                                                   "no_iv",
                                                                   "cryptography"};

}  // namespace

std::string_view to_string(Fault fault) {
    return kFaultNames[static_cast<std::size_t>(fault)];
}

SecurityReason reason_of(Fault fault) {
    if (fault <= Fault::kRepeatedItem) return SecurityReason::kConflicting;
    if (fault <= Fault::kUnknownResult) return SecurityReason::kUnknown;
    if (fault == Fault::kNoOperation) return SecurityReason::kMissing;
    return SecurityReason::kFailed;
}

std::string_view to_string(SecurityReason reason) {
    switch (reason) {
        case SecurityReason::kMissing:
            return "missing security operation";
        case SecurityReason::kUnknown:
            return "unknown security operation";
        case SecurityReason::kUnexpected:
            return "unexpected security operation";
        case SecurityReason::kFailed:
            return "failed security operation";
        case SecurityReason::kConflicting:
            return "conflicting security operation";
    }
    return "";
}

}  // namespace farlink::bp::bpsec
