// SPDX-License-Identifier: Apache-2.0
// Parts of a batch: what is known of some of its bundles while the batch itself is lent still.
// A part is made for one message and owned by whoever has that; the batch stays where it is.
// The thread that has the batch.
#pragma once

#include <cstddef>
#include <memory>

#include "common/buffer/batch.hpp"

namespace farlink {

/// A part of `whole` with what `outcome_at(place)` says of the bundles there; kPending and
/// kReturnedEarly say nothing. What it tells is kReturnedEarly in `whole` from then on, and nothing
/// is told twice. Its `done` and `bytes` are those of the bundles that it tells of; whether they
/// are done in `whole`, too, is the caller's bookkeeping.
template <class OutcomeAt>
[[nodiscard]] BatchPtr make_part(Batch &whole, OutcomeAt &&outcome_at) {
    auto part = std::make_unique<Batch>();
    part->owner = whole.owner;
    part->instance = whole.instance;
    part->link = whole.link;
    part->sequence = whole.sequence;
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
