// SPDX-License-Identifier: Apache-2.0
// Receiving side of UDP: one bundle a datagram, many datagrams a read (RFC 7122 section 3.2).
// Owned by one induct; one thread. It gives the kernel space for messages and answers with
// slices of them; octets are copied only where that saves memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "common/base/bytes.hpp"
#include "common/buffer/read_buffer.hpp"
#include "common/buffer/received_bundles.hpp"

namespace farlink::cla::udp {

/// A message of the kernel: one datagram, or several that it has put together (GRO).
struct InMessage {
    std::uint32_t size = 0;
    std::uint32_t segment_size = 0;  ///< of every datagram but the last; 0: there is only one
};

/// Everything in it but `bundles` and `bytes` is what was not passed on.
struct ReceiveCounters {
    std::uint64_t bundles = 0;
    std::uint64_t bytes = 0;
    std::uint64_t coalesced = 0;    ///< messages of several datagrams
    std::uint64_t keep_alives = 0;  ///< RFC 7122 section 3.4
    std::uint64_t empty = 0;
    std::uint64_t too_large = 0;  ///< above maxBundleSizeBytes
    std::uint64_t no_memory = 0;  ///< no room to put a message together
};

/// A message has up to 64 KiB, and most have far less. So each gets a slot of the slab as large as
/// what came lately, and what does not fit goes to spill space, from where it is put together
/// behind the slots. Slots that are mostly empty are closed up. So datagrams of one size lie in the
/// slab without gaps and without a copy, and no size is ever cut off.
class UdpReceiver {
public:
    static constexpr std::size_t kMaxMessages = 32;
    /// The largest message, coalesced or not, fits.
    static constexpr std::uint32_t kMessageBytes = 64 * 1024;

    struct Space {
        MutableBytes slot;
        MutableBytes spill;  ///< what is beyond the slot
    };

    explicit UdpReceiver(std::uint64_t max_bundle_bytes);

    /// Where the next messages go, one entry each. Empty: there is no memory now.
    [[nodiscard]] std::span<const Space> prepare(ReadBuffer &buffer);
    /// The first `messages.size()` entries of prepare() have been filled; appends their bundles.
    void handle_messages(std::span<const InMessage> messages, ReadBuffer &buffer,
                         ReceivedBundles &out);

    [[nodiscard]] const ReceiveCounters &counters() const { return counters_; }

private:
    using Block = std::unique_ptr<std::uint8_t[]>;

    struct Placed {
        SlabRef slab;
        ByteView octets;
    };

    [[nodiscard]] Placed join(std::size_t index, std::uint32_t size, MutableBytes room,
                              ReadBuffer &buffer);
    void split(const Placed &message, std::uint32_t segment_size, ReceivedBundles &out);
    void accept(const SlabRef &slab, ByteView datagram, ReceivedBundles &out);
    void adapt(std::uint32_t largest);

    std::uint64_t max_bundle_bytes_;
    std::uint32_t slot_bytes_ = kMessageBytes;  ///< of the last prepare()
    std::array<Space, kMaxMessages> spaces_{};
    Block spill_;  ///< its pages cost nothing until they are needed
    ReceiveCounters counters_;
};

}  // namespace farlink::cla::udp
