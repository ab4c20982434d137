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

constexpr std::array<std::string_view, kFaultCount> kFaultWords = {
    "the bundle is malformed, or not of version 7",
    "a security block is malformed",
    "too many security blocks, targets, parameters or results",
    "a security block has no target",
    "a security block has a target twice",
    "the target block is missing",
    "two security blocks apply the same service to one target",
    "the target is a security block, which is not permitted",
    "the target of an encryption is the primary block",
    "a BCB encrypts a BIB, but none of its targets",
    "the BCB of the payload lacks the flag for replication in every fragment",
    "a BCB has the flag to remove it if it cannot be processed",
    "the results do not match the targets in number",
    "a parameter or a result occurs twice",
    "unknown security context",
    "unknown parameter of the security context",
    "unknown security result",
    "invalid parameter of the security context",
    "invalid security result",
    "a parameter of the security context is missing",
    "a security result is missing",
    "the bundle is a fragment, which is neither secured nor verified",
    "the target block is encrypted",
    "the security operation is missing",
    "no valid and permitted key for the operation",
    "the key has the wrong algorithm or length",
    "the wrapped key cannot be unwrapped",
    "the integrity value or the authentication tag does not match",
    "the BIB cannot be divided, since its block number is signed",
    "another operation covers the primary block, whose CRC would have to be removed",
    "no free block number",
    "not enough memory for the payload",
    "no initialization vectors are left",
    "OpenSSL reported an error"};

}  // namespace

std::string_view to_string(Fault fault) {
    return kFaultNames[static_cast<std::size_t>(fault)];
}

std::string_view in_words(Fault fault) {
    return kFaultWords[static_cast<std::size_t>(fault)];
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
