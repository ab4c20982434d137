// SPDX-License-Identifier: Apache-2.0
// Parts of a batch: outcomes of some of its bundles while the batch itself is still lent.
// A part is made for one message and owned with it; the batch stays lent.
// The thread that has the batch.
#pragma once

#include <cstddef>
#include <memory>

#include "common/buffer/batch.hpp"

namespace farlink {

/// A part of `whole` with the outcomes of `outcome_at(place)`; kPending and kReturnedEarly are left
/// out. The bundles of the part are then kReturnedEarly in `whole`, so that no outcome is reported
/// twice. Its `done` and `bytes` are those of its bundles; the caller counts them in `whole`.
template <class OutcomeAt>
[[nodiscard]] BatchPtr make_part(Batch &whole, OutcomeAt &&outcome_at) {
    auto part = std::make_unique<Batch>();
    part->owner = whole.owner;
    part->instance = whole.instance;
    part->link = whole.link;
    part->sequence = whole.sequence;
    part->sent_payload = whole.sent_payload;
    part->whole = &whole;
    part->bundles.resize(whole.bundles.size());
    for (std::size_t place = 0; place < whole.bundles.size(); ++place) {
        BatchedBundle &bundle = whole.bundles[place];
        const Outcome known = outcome_at(place);
        if (known == Outcome::kPending || known == Outcome::kReturnedEarly ||
            bundle.outcome == Outcome::kReturnedEarly)
            continue;
        part->bundles[place].outcome = known;
        part->bytes += bundle.size;
        bundle.outcome = Outcome::kReturnedEarly;
        ++part->done;
    }
    return part;
}

}  // namespace farlink
