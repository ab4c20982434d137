// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/receive/deviation_check.hpp"

namespace farlink::ingress {

std::optional<bp::ParseError> DeviationCheck::find_fault(const bp::BundleView &view,
                                                         UpstreamId from, BundlePolicy policy) {
    std::optional<bp::ParseError> fault;
    if (view.has_unnumbered) {
        count(from, BundleDeviation::kUnnumberedBlocks);
        if (policy.strict) fault = bp::ParseError::kBadBlockNumber;
    }
    if (view.primary_without_crc && !view.primary_signed) {
        count(from, BundleDeviation::kPrimaryWithoutCrc);
        if (policy.strict) fault = bp::ParseError::kPrimaryWithoutCrc;
    }
    if (view.lacks_age) {
        count(from, BundleDeviation::kAgeBlockMissing);
        if (!policy.allows_missing_age) fault = bp::ParseError::kAgeMissing;
    }
    return fault;
}

std::optional<DeviationRun> DeviationCheck::poll() {
    if (deviations_.empty()) return std::nullopt;
    return deviations_.pop_front();
}

void DeviationCheck::count(UpstreamId from, BundleDeviation kind) {
    if (!deviations_.empty() && deviations_.back().from == from && deviations_.back().kind == kind)
        ++deviations_.back().count;
    else
        deviations_.push_back({from, kind, 1});
}

}  // namespace farlink::ingress
