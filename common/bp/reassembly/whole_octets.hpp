// SPDX-License-Identifier: Apache-2.0
// The octets of a fragment at offset 0 from which the head of its whole bundle is made.
// A value that borrows.
// Any thread.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"

namespace farlink::bp {

struct WholeOctets {
    ByteView head;  ///< up to the payload's data
    std::uint32_t primary_end = 0;
    std::uint32_t head_end = 0;  ///< where the payload block begins

    [[nodiscard]] ByteView primary() const { return head.first(primary_end); }
    [[nodiscard]] ByteView blocks() const {
        return head.subspan(primary_end, head_end - primary_end);
    }
    [[nodiscard]] ByteView payload_head() const { return head.subspan(head_end); }
};

}  // namespace farlink::bp
