// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/iv_counter.hpp"

#include "common/base/invariant.hpp"
#include "common/bp/bpsec/block/context.hpp"

namespace farlink::bp::bpsec {

bool IvCounter::next(MutableBytes iv) {
    FARLINK_INVARIANT(iv.size() == kIvBytes);
    if (next_ == end_) {
        const auto first = ranges_.reserve(kReservedAtOnce);
        if (!first || *first > kMostEncryptions - kReservedAtOnce) return false;
        next_ = *first;
        end_ = next_ + kReservedAtOnce;
    }
    const IvField field = ranges_.field();
    store_be(iv.data(), field.node);
    store_be(iv.data() + 4,
             static_cast<std::uint32_t>(field.instance) << 24 | (field.beginning & 0xffffff));
    store_be(iv.data() + 8, static_cast<std::uint32_t>(next_++));
    return true;
}

}  // namespace farlink::bp::bpsec
