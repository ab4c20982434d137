// SPDX-License-Identifier: Apache-2.0
// The values that enter and leave an LTP engine: blocks to send, blocks received, events.
// Plain values; no owner of their own.
// Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cla/ltp/core/codec/types.hpp"
#include "cla/ltp/core/session/out_block.hpp"
#include "common/buffer/slab.hpp"

namespace farlink::cla::ltp {

/// A block to send (RFC 5326 section 4.1).
struct BlockRequest {
    std::span<const BlockPiece> pieces;
    std::uint64_t red_size = kAllRed;  ///< octets at the front that are sent reliably
    std::uint64_t service = kBundleService;
    std::uint64_t token = 0;        ///< the caller's id of the block
    std::uint32_t token_count = 1;  ///< ids from `token` on, for a block of several bundles
    bool beyond_credit = false;     ///< accepted whatever send_credit() returns
    /// Octets of a large block that extend_block() adds; all of it is red. Each part has the token
    /// behind that of the part before.
    std::uint64_t following = 0;
    static constexpr std::uint64_t kAllRed = ~std::uint64_t{0};
};

enum class SendError : std::uint8_t { kNoPeer, kNoRoom, kEmpty };

enum class EventType : std::uint8_t {
    kDelivered,           ///< a block was sent whole, and the peer has its red part
    kCancelled,           ///< a block that this side cancelled
    kCancelledByPeer,     ///< a block that the peer cancelled
    kReceptionCancelled,  ///< an incoming block that either side cancelled before its delivery
    kPeerSilent,          ///< the peer does not answer pings
    kPeerResponds,        ///< a silent peer has sent a segment
    kNumbersCut,          ///< the peer cuts numbers to 32 bits; new numbers are no longer
    /// A part of a large block: the peer has it, or the block has ended. The end of the block
    /// itself has the token of the oldest part without such an event, or of the next one.
    kPartEnded,
};

struct Event {
    EventType type = EventType::kDelivered;
    PeerId peer{};
    CancelReason reason{};
    std::uint64_t token = 0;
    std::uint32_t token_count = 0;
};

/// Describes a block that has arrived, or a part of one. block_safe() and block_refused() take
/// `session`.
struct BlockInfo {
    SessionHandle session;
    PeerId peer{};
    std::uint64_t service = 0;
    std::uint64_t size = 0;
    std::uint64_t red_size = 0;
    bool whole = false;  ///< false: octets of the green part are missing; all of it is left out
    /// Of a large block, which comes in parts, in order: `size` octets from here on.
    std::uint64_t offset = 0;
    bool more = false;  ///< further parts follow

    [[nodiscard]] bool in_parts() const { return more || offset > 0; }
    /// Neither octets nor further parts come: the session was cancelled.
    [[nodiscard]] bool breaks_off() const { return more && size == 0; }
};
struct ReceivedBlock : BlockInfo {
    std::vector<ByteView> slices;
    std::vector<SlabRef> slabs;  ///< one for each slice
};

}  // namespace farlink::cla::ltp
