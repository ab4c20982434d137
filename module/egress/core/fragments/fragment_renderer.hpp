// SPDX-License-Identifier: Apache-2.0
// Renders the fragments of one bundle for a link, as many as one call of transmit() takes; the next
// call goes on where this one ends.
// A plain function; the octets that it makes are in FragmentedBundles.
// One thread.
#pragma once

#include <cstdint>
#include <span>

#include "common/bp/parse.hpp"
#include "common/buffer/tx_bundle.hpp"
#include "module/egress/core/fragments/fragmented_bundles.hpp"

namespace farlink::egress {

/// A bundle that may be fragmented, and the head that it leaves with.
struct BundleToCut {
    const bp::BundleView &view;
    ByteView head;
    std::span<const ByteView> slices;
};

/// What one call of transmit() takes, and how much of it is filled.
struct TransmitRoom {
    std::span<TxBundle> out;
    std::uint64_t max_bytes = 0;
    std::size_t count = 0;
    std::uint64_t bytes = 0;

    [[nodiscard]] bool is_left() const {
        return count < out.size() && (count == 0 || bytes < max_bytes);
    }
};

enum class CutStep : std::uint8_t {
    kWhole,        ///< all of the bundle is in fragments
    kPart,         ///< `room` is full
    kContactFull,  ///< what is left of the contact is too short for another fragment
    kFailed,       ///< the limit is too low for the bundle
};

/// Adds fragments of the bundle to `room`; the first one leaves with token `token`, and each
/// further one with the next.
[[nodiscard]] CutStep cut_bundle(const BundleToCut &bundle, FragmentedBundles &cuts,
                                 FragmentedBundles::Cut &cut, std::uint64_t token,
                                 TransmitRoom &room);

}  // namespace farlink::egress
