// SPDX-License-Identifier: Apache-2.0
// What stands in the label of a record that is a fragment to be joined with others, before the
// endpoint's: which part of which data unit it is.
// Plain functions; any thread.
// 6, offset (8), length (8), length of the data unit (8), identity of the set (16), hash of the
// source (8), then the label that a bundle would have.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/bytes.hpp"
#include "common/base/siphash.hpp"
#include "common/bp/base/fragment_extent.hpp"
#include "module/storage/core/index/entry_table.hpp"

namespace farlink::storage {

struct FragmentLabel {
    bp::FragmentExtent extent;
    std::uint64_t total_adu_length = 0;  ///< bytes
    Hash128 set;                         ///< of all fragments with that length
    std::uint64_t source = 0;            ///< a hash, for the limits of each source
    ByteView endpoint;                   ///< the rest of the label; borrowed
};

[[nodiscard]] Bytes encode_fragment_label(const FragmentLabel &label);
/// Empty when it is not the label of a fragment, or not a valid one.
[[nodiscard]] std::optional<FragmentLabel> decode_fragment_label(ByteView label);

}  // namespace farlink::storage
