// SPDX-License-Identifier: Apache-2.0
// The bundles in custody of the generator, until custody signals accept them (RFC 5050
// section 5.10, CCSDS 734.2-B-1). Owned by the generator; one thread; no link and no clock. Bundles
// are kept as numbers, since a number always renders the same bundle.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "apps/shared/traffic/sending/send_window.hpp"
#include "apps/shared/traffic/sequence_tracker.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/bp/v6/admin_record_codec.hpp"

namespace farlink::traffic {

class CustodyLedger {
public:
    /// Bundles of `source`; number n has the custody id `first_id` + n. A bundle without a signal
    /// after `patience` is retransmitted.
    CustodyLedger(bp::Eid source, std::uint64_t first_id, Duration patience)
        : source_(std::move(source)), first_id_(first_id), patience_(patience) {}

    /// These bundles were given to the link, for the first time or again.
    void handle_sent(const Stretch &bundles, TimePoint now);
    /// Handles the payload of an administrative bundle; true when it is a custody signal.
    bool handle_record(ByteView record);

    /// Up to `at_most` bundles that are due for retransmission.
    [[nodiscard]] std::optional<Stretch> poll_resend(std::uint64_t at_most, TimePoint now);
    /// The next time at which poll_resend() may return bundles.
    [[nodiscard]] TimePoint next_resend() const {
        return open_.empty() ? kNever : open_.front().due;
    }

    /// Bundles without and with an accepted custody.
    [[nodiscard]] std::uint64_t outstanding() const { return sent_ - accepted_.received(); }
    [[nodiscard]] std::uint64_t accepted() const { return accepted_.received(); }
    /// Number of refusals of custody, without those for redundant reception.
    [[nodiscard]] std::uint64_t refused() const { return refused_; }
    /// Of those, for depleted storage.
    [[nodiscard]] std::uint64_t depleted() const { return depleted_; }
    [[nodiscard]] std::uint64_t resent() const { return resent_; }
    /// Signals about one bundle, and about many.
    [[nodiscard]] std::uint64_t signals() const { return signals_; }
    [[nodiscard]] std::uint64_t aggregates() const { return aggregates_; }

private:
    struct Open {
        Stretch bundles;
        TimePoint due{};
    };
    /// Consecutive bundles that were created in one second.
    struct Created {
        std::uint64_t first = 0;
        std::uint64_t time_s = 0;
    };

    void answer(std::uint64_t first, std::uint64_t last, bool succeeded, std::uint8_t reason);
    [[nodiscard]] bool is_mine(const bp::v6::Subject &subject) const;

    bp::Eid source_;
    std::uint64_t first_id_;
    Duration patience_;
    Ring<Open> open_;  ///< in the order of their time
    std::vector<Created> created_;
    SequenceTracker accepted_;
    std::uint64_t sent_ = 0;  ///< different ones
    std::uint64_t refused_ = 0;
    std::uint64_t depleted_ = 0;
    std::uint64_t resent_ = 0;
    std::uint64_t signals_ = 0;
    std::uint64_t aggregates_ = 0;
};

}  // namespace farlink::traffic
