// SPDX-License-Identifier: Apache-2.0
// The ledger of a node: the equation between bundles that came in and their outcomes.
// Computed from counter values that were taken while no bundle moved.
// Values; any thread.
//
//     received + originated + restored + copies + joined
//         = delivered + forwarded + stored + in flight + expired + deleted + duplicates
//           + copies dropped + fragments joined
//
// A bundle has one owner at any time, ingress or storage; a batch lends it to another module. Each
// bundle appears once on the left, where it began, and once on the right, where it is or ended:
//
//     left    received        ingress  every frame, malformed ones too
//             originated      ingress  echo replies and status reports made here
//             copies          ingress  the second and further copies of a bundle
//                             storage  what was sent of a bundle that stays in custody, or that
//                                      goes to several neighbours
//             restored        storage  found on disk at the start
//             joined          storage  made of stored fragments, when they have left as one
//     right   delivered       ingress  given to a service of this node
//                             applications  accepted by an application
//             forwarded       egress   answered with kSent; ingress, by a session that it hosts
//             stored          storage  a gauge: flushed and not yet gone
//             in flight       ingress  a gauge: accepted, and its outcome is not known
//             expired         the owner: ingress or storage
//             deleted         ingress, by reason (malformed is one); storage, unreadable on disk;
//                             egress and applications, when they cannot make something of it
//             duplicates      ingress, delivered before or in flight; storage, on disk already;
//                             applications, accepted before
//             copies dropped  storage, the original was sent; ingress, the copy could not be
//                             stored, or took the original's place; storage, the next custodian
//                             has the bundle, or all neighbours have
//             fragments joined  storage  of which those were made
//
// Which module counts when a borrower returns a bundle with an outcome:
//
//     kSent       egress has counted forwarded, or render_deleted when it deleted the bundle;
//                 applications have counted delivered, or duplicates;
//                 the owner drops it (ingress counts cut_through and storage released, for
//                 information)
//     kStored     storage counts it in stored_now; ingress drops it
//     kDuplicate  storage counts duplicates; ingress drops it
//     kNoSpace    ingress keeps the bundle and tries again, or gives up and counts
//                 deleted_no_storage_space (storage_refused is for information)
//     kIoError    likewise, deleted_storage_error (storage_io_errors is for information)
//     kExpired    the owner counts expired (egress_expired is for information)
//     kNotSent    no counter: the owner keeps the bundle
//     kPartSent   likewise (egress_part_returns is for information): a bundle that leaves part by
//                 part counts as forwarded with its last part, and as stored until then
//
// So a bundle that is received, stored, released and sent moves on the right from in flight to
// stored to forwarded. Between the borrower's count and the owner's, the ledger is off by the
// bundles whose outcome is in transit; while no bundle moves, it balances exactly.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace farlink::telemetry {

struct Ledger {
    std::uint64_t received = 0;
    std::uint64_t originated = 0;
    std::uint64_t restored = 0;
    std::uint64_t copies = 0;
    std::uint64_t joined = 0;

    std::uint64_t delivered = 0;
    std::uint64_t forwarded = 0;
    std::uint64_t stored = 0;
    std::uint64_t in_flight = 0;
    std::uint64_t expired = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t copies_dropped = 0;
    std::uint64_t fragments_joined = 0;
    /// One reason with a count above 0.
    struct Deletion {
        std::string reason;
        std::uint64_t bundles = 0;
    };
    std::vector<Deletion> deletions;
    /// Modules that sent no final report: no column has the bundles that they held.
    std::uint64_t unreported = 0;
    /// Modules of which only an earlier process sent none.
    std::uint64_t restarted = 0;
    /// Telemetry started after other modules, so that earlier deaths of modules are unknown.
    bool began_late = false;

    /// From the values of the modules in the order of their tables (a CounterReport each);
    /// a missing tail counts as zeros. `malformed_labels` name the family ingress_malformed.
    [[nodiscard]] static Ledger from(std::span<const std::uint64_t> ingress,
                                     std::span<const std::uint64_t> egress,
                                     std::span<const std::uint64_t> storage,
                                     std::span<const std::string_view> malformed_labels = {},
                                     std::span<const std::uint64_t> applications = {});

    [[nodiscard]] std::uint64_t deleted() const;
    [[nodiscard]] std::uint64_t left() const {
        return received + originated + restored + copies + joined;
    }
    [[nodiscard]] std::uint64_t right() const {
        return delivered + forwarded + stored + in_flight + expired + deleted() + duplicates +
               copies_dropped + fragments_joined;
    }
    [[nodiscard]] bool balanced() const { return left() == right(); }
    /// Whether it must balance: no module is known to have died, and none can have died unseen.
    [[nodiscard]] bool complete() const { return unreported + restarted == 0 && !began_late; }
    /// Both sides as lines of text, with the difference when they do not balance.
    [[nodiscard]] std::string to_table() const;
};

}  // namespace farlink::telemetry
