// SPDX-License-Identifier: Apache-2.0
// The part of the wire format that carries batches: their bundles, slices and payload frames.
// Included by wire.cpp only. Plain functions, any thread.
// A frame is a part of one slab: bundles that were read together are sent together.
#pragma once

#include "common/bus/wire/wire_fields.hpp"

namespace farlink::bus {

/// About how many octets write_batch() writes.
[[nodiscard]] std::size_t batch_octets(const Batch &batch);
/// Writes `batch` without its octets, which `frames` reference.
void write_batch(WireWriter &out, std::vector<ByteView> &frames, const Batch &batch, TimePoint now);
/// Empty if the batch is refused; the error is in `in`.
[[nodiscard]] BatchPtr read_batch(WireReader &in, std::span<const ByteView> frames,
                                  WireMemory memory, TimePoint now);

void write_outcomes(WireWriter &out, const Batch &batch);
[[nodiscard]] BatchPtr read_outcomes(WireReader &in);

}  // namespace farlink::bus
