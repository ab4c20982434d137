// SPDX-License-Identifier: Apache-2.0
// Where a session reads: the loop's slab, or a little memory of its own when there is no slab.
// Owned by one session's core; one thread.
// Octets in memory of its own may be looked at and not kept: messages get through, bundles do not.
#pragma once

#include <algorithm>

#include "common/base/bytes.hpp"
#include "common/buffer/stream_reader.hpp"

namespace farlink::cla::tcpclv3 {

class Input {
public:
    struct Arrival {
        ByteView octets;
        const SlabRef *slab = nullptr;  ///< null: they lie in the session's own memory
    };

    /// `finishing` names the session when it is in the middle of a bundle. Empty only if `waits`:
    /// the octets to come must be kept.
    [[nodiscard]] MutableBytes prepare(ReadBuffer &buffer, UpstreamId finishing,
                                       bool waits = false) {
        const MutableBytes space = reader_.prepare(buffer, finishing);
        own_used_ = space.empty() && !waits;
        if (!own_used_) return space;
        const ByteView before = reader_.handed_back();
        own_.resize(kOwnBytes);
        std::ranges::copy(before, own_.begin());
        return MutableBytes(own_).subspan(before.size());
    }
    /// `size` octets were read into prepare()'s space: they and what was handed back.
    [[nodiscard]] Arrival take(std::size_t size, ReadBuffer &buffer) {
        if (!own_used_) return {reader_.take(size, buffer), &buffer.slab()};
        const std::size_t all = reader_.handed_back().size() + size;
        reader_.clear();
        return {ByteView(own_).first(all), nullptr};
    }
    void hand_back(ByteView rest) { reader_.hand_back(rest); }
    /// In the middle of a message.
    [[nodiscard]] bool inside_message() const { return !reader_.handed_back().empty(); }

private:
    static constexpr std::size_t kOwnBytes = 2 * StreamReader::kCarryBytes;

    StreamReader reader_;
    Bytes own_;  ///< empty until it is needed for the first time
    bool own_used_ = false;
};

}  // namespace farlink::cla::tcpclv3
