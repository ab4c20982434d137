// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/security/sealed_bundles.hpp"

#include <algorithm>

namespace farlink::traffic {
namespace {

DtnTime dtn_time(std::uint64_t unix_ns) {
    constexpr std::uint64_t kNanosecondsPerMs = 1'000'000;
    constexpr std::uint64_t kEpochMs = kDtnEpochUnixSeconds * 1000;
    const std::uint64_t unix_ms = unix_ns / kNanosecondsPerMs;
    return unix_ms - std::min(unix_ms, kEpochMs);
}

}  // namespace

SealedBundles::SealedBundles(BundleTemplate &bundles, const Pattern &pattern, BundleSealer &sealer)
    : bundles_(bundles), sealer_(sealer), head_(BundleTemplate::kHeadRoom), slices_(1) {
    for (std::uint64_t left = bundles.tail_bytes(); left > 0;) {
        const auto size =
            static_cast<std::size_t>(std::min<std::uint64_t>(left, Pattern::kStretch));
        slices_.push_back(pattern.stretch().first(size));
        left -= size;
    }
    slices_.emplace_back();
}

Result<Bytes, std::string> SealedBundles::make(const PayloadHeader &header) {
    slices_.front() = ByteView(head_).first(bundles_.head(header, head_.data()));
    slices_.back() = ByteView(trailer_).first(bundles_.trailer(trailer_.data()));
    return sealer_.seal(slices_, dtn_time(header.sent_unix_ns));
}

}  // namespace farlink::traffic
