// SPDX-License-Identifier: Apache-2.0
// Which transactions have ended, by source: a late PDU of one of them opens none.
// A value; one thread.
// A source counts up, so that its numbers make few extents, however many files it has sent.
#pragma once

#include <cstddef>
#include <map>

#include "cfdp/core/pdu/types.hpp"
#include "common/files/extents.hpp"

namespace farlink::cfdp {

class EndedNumbers {
public:
    /// Of one source. Then its lowest numbers are forgotten.
    static constexpr std::size_t kMostExtents = 65'536;

    void add(const TransactionId &id) { add(id.source, {id.sequence, id.sequence + 1}); }
    void add(EntityId source, files::Extent numbers);
    [[nodiscard]] bool contains(const TransactionId &id) const;
    [[nodiscard]] const std::map<EntityId, files::Extents> &by_source() const { return numbers_; }

private:
    std::map<EntityId, files::Extents> numbers_;
};

}  // namespace farlink::cfdp
