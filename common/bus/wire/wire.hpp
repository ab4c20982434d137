// SPDX-License-Identifier: Apache-2.0
// The bus messages as octets, for modules that do not share memory: docs/formats/bus.md.
// Plain functions without state; any thread, but the pools given to decode() belong to one.
// Whatever octets come in, decode() answers with a message or a named error.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/bus/messages.hpp"

namespace farlink::bus {

inline constexpr std::uint8_t kWireVersion = 13;

enum class WireError : std::uint8_t {
    kTruncated = 0,   ///< the octets end inside the message
    kBadMagic = 1,    ///< not a farlink message
    kBadVersion = 2,  ///< a farlink of another version: the modules must be of one version
    kUnknownType = 3,
    kBadValue = 4,        ///< a number outside of its range
    kBadSlices = 5,       ///< slices that do not lie in their frames, or do not fit their bundle
    kTrailingOctets = 6,  ///< octets follow the message
    kBatchRefused = 7,    ///< a batch where only events may come
    kNoMemory = 8,        ///< the slab pool is at its limit; not the sender's fault
};
[[nodiscard]] std::string_view to_string(WireError error);

/// `header` is the first frame; `frames` are the payload, views of the batch's slabs: whoever sends
/// them keeps the batch until they are sent.
struct EncodedMessage {
    Bytes header;
    std::vector<ByteView> frames;
};

/// Of a BatchOutcome only owner, sequence and the outcomes are encoded; the batch itself stayed
/// with its owner (see set_outcomes()).
///
/// Reception times travel as their distance to `now`, which each side gives in its own monotonic
/// time. Processes of one machine share that time line and may both leave `now` out.
[[nodiscard]] EncodedMessage encode(const Message &message, TimePoint now = {});

/// Where a received batch is put: its octets are copied into a slab, so the frames may go, but for
/// those that lie in a slab already. The pool of batches serves decode() alone, since their owner
/// is another module.
struct WireMemory {
    SlabPool &slabs;
    BatchPool &batches;
    /// The slab of each frame, empty for one that is to be copied; as many as frames, or none.
    std::span<const SlabRef> in_place = {};
};
[[nodiscard]] Result<Message, WireError> decode(ByteView header, std::span<const ByteView> frames,
                                                WireMemory memory, TimePoint now = {});
/// For streams that carry no batches.
[[nodiscard]] Result<Message, WireError> decode_event(ByteView header);

/// Some bundles of the decoded BatchOutcome have no outcome yet: their batch stays lent. (decode()
/// has counted those that have one in Batch::done.)
[[nodiscard]] bool is_part(const Batch &outcome);
/// What it tells, for the owner of the batch that stayed here, which notes it; null when the two
/// are not the same batch.
[[nodiscard]] BatchPtr part_of(const Batch &outcome, Batch &kept);
/// Copies the outcomes of a decoded BatchOutcome that is no part into the batch that stayed here;
/// false when the two are not the same batch.
[[nodiscard]] bool set_outcomes(const Batch &outcome, Batch &kept);

}  // namespace farlink::bus
