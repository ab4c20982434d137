// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/ended_numbers.hpp"

namespace farlink::cfdp {

void EndedNumbers::add(EntityId source, files::Extent numbers) {
    // The highest number has no end.
    if (numbers.end <= numbers.begin) return;
    files::Extents &known = numbers_[source];
    known.add(numbers);
    if (known.count() > kMostExtents) known.remove(known.first());
}

bool EndedNumbers::contains(const TransactionId &id) const {
    const auto found = numbers_.find(id.source);
    return found != numbers_.end() && id.sequence + 1 > id.sequence &&
           found->second.covers({id.sequence, id.sequence + 1});
}

}  // namespace farlink::cfdp
