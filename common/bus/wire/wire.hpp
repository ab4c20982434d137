// SPDX-License-Identifier: Apache-2.0
// Encodes the bus messages for modules in other processes: docs/formats/bus.md.
// Plain functions without state; any thread, but the pools given to decode() belong to one.
// For any octets, decode() returns a message or a named error.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/bus/messages.hpp"

namespace farlink::bus {

inline constexpr std::uint8_t kWireVersion = 19;

enum class WireError : std::uint8_t {
    kTruncated = 0,   ///< the octets end inside the message
    kBadMagic = 1,    ///< not a farlink message
    kBadVersion = 2,  ///< of another version of farlink; all modules must have one version
    kUnknownType = 3,
    kBadValue = 4,        ///< a number out of range
    kBadSlices = 5,       ///< slices outside of their frames, or of another size than their bundle
    kTrailingOctets = 6,  ///< octets follow the message
    kBatchRefused = 7,    ///< a batch in a stream of events
    kNoMemory = 8,        ///< the slab pool is at its limit; the message is valid
};
[[nodiscard]] std::string_view to_string(WireError error);

/// `header` is the first frame; `frames` are the payload, views of the batch's slabs: the sender
/// keeps the batch until they are sent.
struct EncodedMessage {
    Bytes header;
    std::vector<ByteView> frames;
};

/// Of a BatchOutcome only owner, sequence and the outcomes are encoded; the batch itself stayed
/// with its owner (see set_outcomes()).
///
/// Reception times are encoded relative to `now`, in the monotonic time of each side. Processes of
/// one machine share that time and may both omit `now`.
[[nodiscard]] EncodedMessage encode(const Message &message, TimePoint now = {});

/// The memory for a received batch: octets are copied into a slab, except those of frames that are
/// slabs already. Only decode() uses the batch pool, since another module owns the batches.
struct WireMemory {
    SlabPool &slabs;
    BatchPool &batches;
    /// The slab of each frame, empty for a frame to copy; one for each frame, or none at all.
    std::span<const SlabRef> in_place = {};
};
[[nodiscard]] Result<Message, WireError> decode(ByteView header, std::span<const ByteView> frames,
                                                WireMemory memory, TimePoint now = {});
/// For streams that carry no batches.
[[nodiscard]] Result<Message, WireError> decode_event(ByteView header);

/// Some bundles of the decoded BatchOutcome have no outcome yet: their batch stays lent. (decode()
/// has counted those that have one in Batch::done.)
[[nodiscard]] bool is_part(const Batch &outcome);
/// The outcomes, for the owner of the batch here; null if the two are not the same batch.
[[nodiscard]] BatchPtr part_of(const Batch &outcome, Batch &kept);
/// Copies the outcomes of a decoded, complete BatchOutcome into the batch here; false if the two
/// are not the same batch.
[[nodiscard]] bool set_outcomes(const Batch &outcome, Batch &kept);

}  // namespace farlink::bus
