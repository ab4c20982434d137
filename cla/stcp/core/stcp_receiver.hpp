// SPDX-License-Identifier: Apache-2.0
// Receiving side of STCP and MTCP: from a stream of frames to bundles.
// Owned by one session of the link; one thread.
// Whole bundles are slices of the octets that were read; it copies only what is left of
// a bundle at the end of a read, and only when that is little. A bundle too large for memory is
// delivered in pieces.
#pragma once

#include <cstdint>

#include "cla/stcp/core/framing.hpp"
#include "common/base/bytes.hpp"
#include "common/buffer/bundle_assembly.hpp"
#include "common/buffer/read_buffer.hpp"
#include "common/buffer/received_bundles.hpp"
#include "common/buffer/stream_reader.hpp"

namespace farlink::cla::stcp {

enum class StcpFault : std::uint8_t {
    kNone,
    kFrameTooLarge,
    kNotAFrame,
    kLooksLikeTcpcl,  ///< the first octets of the stream are a contact header
    kOtherFraming,    ///< they are a frame of MTCP in place of STCP, or the other way round
};

class StcpReceiver {
public:
    explicit StcpReceiver(std::uint64_t max_bundle_bytes, UpstreamId session = kNoUpstream,
                          Framing framing = Framing::kStcp)
        : max_bundle_bytes_(max_bundle_bytes), session_(session), framing_(framing) {}

    /// Where to read next: space in `buffer` behind what was carried over. Empty: no memory now.
    [[nodiscard]] MutableBytes prepare(ReadBuffer &buffer);
    /// `size` octets were read into prepare()'s space; appends whole bundles to `out`, and pieces
    /// of those above ReadBuffer::spool_above().
    [[nodiscard]] StcpFault handle_bytes(std::size_t size, ReadBuffer &buffer,
                                         ReceivedBundles &out);
    /// Copies what waits for its rest out of its slab; false when there is no memory for it now.
    [[nodiscard]] bool compact(SlabPool &pool) { return assembly_.compact(pool); }

    /// The connection has ended: releases the memory of an incomplete bundle.
    void forget() {
        reader_.clear();
        assembly_.clear();
    }

    /// True in the middle of a bundle: a connection that ends now has truncated it.
    [[nodiscard]] bool inside_bundle() const {
        return !reader_.handed_back().empty() || missing_ > 0;
    }
    [[nodiscard]] Framing framing() const { return framing_; }
    [[nodiscard]] std::uint64_t unfinished_bytes() const { return assembly_.size(); }
    [[nodiscard]] std::uint64_t keep_alives() const { return keep_alives_; }

private:
    [[nodiscard]] ByteView continue_bundle(ByteView fresh, ReadBuffer &buffer,
                                           ReceivedBundles &out);

    std::uint64_t max_bundle_bytes_;
    UpstreamId session_;
    Framing framing_;
    bool begun_ = false;  ///< the stream is one of frames
    std::uint64_t keep_alives_ = 0;
    std::uint64_t missing_ = 0;  ///< octets of the bundle in assembly_ still to come
    StreamReader reader_;
    BundleAssembly assembly_;
};

}  // namespace farlink::cla::stcp
