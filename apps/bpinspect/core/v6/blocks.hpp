// SPDX-License-Identifier: Apache-2.0
// The blocks behind BPv6's primary block (RFC 5050 section 4.5.2 and the extensions of it).
// Plain functions on values.
// Any thread.
#pragma once

#include "apps/bpinspect/core/v6/primary.hpp"

namespace farlink::inspect {

struct Block6 {
    Field field;  ///< its head and its data
    std::uint8_t type = 0;
    std::uint64_t flags = 0;
    Window data;
    std::uint64_t data_size = 0;  ///< as the block states it
    bool whole = false;
};

[[nodiscard]] Block6 read_block6(SdnvWalk &walk, const Primary6 &primary, Deviations &deviations);

/// The content of an extension block as fields of `data`.
void add_extension6(const Block6 &block, const Primary6 &primary, Field &data,
                    Deviations &deviations);

}  // namespace farlink::inspect
