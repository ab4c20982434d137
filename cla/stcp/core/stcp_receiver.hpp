// SPDX-License-Identifier: Apache-2.0
// Receiving side of STCP: a 32-bit big-endian length, then the bundle; length zero is a keep-alive.
// Owned by one session of the link; one thread.
// It is told where the octets lie and answers with slices of them; it copies only what is left of
// a bundle at the end of a read, and only when that is little.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/buffer/read_buffer.hpp"
#include "common/buffer/received_bundles.hpp"

namespace farlink::cla::stcp {

enum class StcpFault : std::uint8_t { kNone, kFrameTooLarge };

///     ┌─────────┐ length > 0   ┌─────────┐ all octets here
///     │ kLength ├─────────────►│ kBundle ├──────► emitted, back to kLength
///     └─────────┘              └─────────┘
class StcpReceiver {
public:
    explicit StcpReceiver(std::uint64_t max_bundle_bytes, UpstreamId session = kNoUpstream)
        : max_bundle_bytes_(max_bundle_bytes), session_(session) {}

    /// Where to read next: space in `buffer` behind what was carried over. Empty: no memory now.
    [[nodiscard]] MutableBytes prepare(ReadBuffer &buffer);
    /// `size` octets were read into prepare()'s space; appends whole bundles to `out`.
    [[nodiscard]] StcpFault handle_bytes(std::size_t size, ReadBuffer &buffer,
                                         ReceivedBundles &out);
    /// Copies what waits for its rest into memory of its own size, so that it pins no slab.
    /// False when the pool has no room for the copy; it may be tried again.
    bool settle(SlabPool &pool);

    /// The connection has ended: lets go of the memory of what was not complete.
    void forget() {
        carried_ = 0;
        chain_.clear();
    }

    /// True in the middle of a bundle: a connection that ends now has truncated it.
    [[nodiscard]] bool inside_bundle() const { return carried_ > 0 || !chain_.empty(); }
    [[nodiscard]] std::uint64_t keep_alives() const { return keep_alives_; }

private:
    /// Remainders below this are copied to the front of the next read, so that a bundle's head is
    /// contiguous and small bundles stay one slice.
    static constexpr std::uint32_t kCarryBytes = 2048;
    static constexpr std::uint32_t kLeastRead = 16 * 1024;
    static constexpr std::uint32_t kLengthBytes = 4;

    struct Piece {
        SlabRef slab;
        ByteView octets;
    };

    [[nodiscard]] ByteView extend_chain(ByteView fresh, ReadBuffer &buffer, ReceivedBundles &out);
    void emit_chain(ReadBuffer &buffer, ReceivedBundles &out);
    [[nodiscard]] static bool joins(const Piece &piece, std::size_t following,
                                    const SlabPool &pool);
    [[nodiscard]] bool merge(std::size_t begin, std::size_t end, std::size_t bytes, SlabPool &pool);

    std::uint64_t max_bundle_bytes_;
    UpstreamId session_;
    std::uint64_t keep_alives_ = 0;
    std::uint64_t missing_ = 0;  ///< octets of the chained bundle still to come
    std::uint32_t carried_ = 0;  ///< octets in carry_
    std::vector<Piece> chain_;
    std::array<std::uint8_t, kCarryBytes> carry_{};
};

}  // namespace farlink::cla::stcp
