// SPDX-License-Identifier: Apache-2.0
// Parts of a batch: what is known of some of its bundles while the batch itself is lent still.
// A part is made for one message and owned by whoever has that; the batch stays where it is.
// The thread that has the batch.
#pragma once

#include <cstddef>
#include <memory>

#include "common/buffer/batch.hpp"

namespace farlink {

/// A part of `whole` with what `outcome_at(place)` says of the bundles there; kPending and kTold
/// say nothing. What it tells is kTold in `whole` from then on, and nothing is told twice. Its
/// `done` and `bytes` are those of the bundles that it tells of; whether they are done in `whole`,
/// too, is the caller's bookkeeping.
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
        const Outcome told = outcome_at(place);
        if (told == Outcome::kPending || told == Outcome::kTold || bundle.outcome == Outcome::kTold)
            continue;
        part->bundles[place].outcome = told;
        part->bytes += bundle.size;
        bundle.outcome = Outcome::kTold;
        ++part->done;
    }
    return part;
}

}  // namespace farlink
