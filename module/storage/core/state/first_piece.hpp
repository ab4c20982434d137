// SPDX-License-Identifier: Apache-2.0
// Reads the head of a bundle that is stored in pieces: it lies in the first one.
// Plain functions; any thread.
// The pieces behind it are not needed: what the head states of the payload is the whole bundle's.
#pragma once

#include "common/bp/arriving_bundle.hpp"

namespace farlink::storage {

/// The view of the bundle that begins with these octets; its size is that of the whole.
[[nodiscard]] inline Result<bp::BundleView, bp::ParseError> read_first_piece(
    std::span<const ByteView> octets) {
    bp::ArrivingBundle bundle;
    return bundle.begin(octets);
}
[[nodiscard]] inline Result<bp::BundleView, bp::ParseError> read_first_piece(ByteView octets) {
    return read_first_piece(std::span(&octets, 1));
}

}  // namespace farlink::storage
