// SPDX-License-Identifier: Apache-2.0
// Watches batches that are in flight to a next hop while their senders wait for acknowledgements,
// and selects those that storage gets a copy of, so that the sender can be acknowledged.
// Owned by IngressCore; one thread.
// CopyMaker makes and sends the copies.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "common/buffer/batch.hpp"
#include "common/buffer/ring.hpp"
#include "module/ingress/core/state/upstreams.hpp"

namespace farlink::ingress {

/// A batch that egress has. Egress writes outcomes into it, so only its other fields may be read.
struct WatchedBatch {
    const Batch *lent = nullptr;
    std::uint64_t sequence = 0;
    TimePoint since{};
    bool at_once = false;
    std::uint64_t copy_sequence = 0;      ///< of the batch with the copies; 0: there is none
    bool copied = false;                  ///< storage has answered
    std::vector<std::uint8_t> stored;     ///< then: which bundles it keeps
    std::vector<std::uint8_t> published;  ///< which bundles are back already; empty: none
    std::vector<BatchPtr> parts;          ///< their outcomes, as long as the answer is missing
    BatchPtr returned;                    ///< the original, back before the answer

    [[nodiscard]] bool copy_underway() const { return copy_sequence != 0 && !copied; }
    [[nodiscard]] bool is_published(std::size_t place) const {
        return !published.empty() && published[place] != 0;
    }
    [[nodiscard]] bool is_stored(std::size_t place) const { return copied && stored[place] != 0; }
    void handle_copied(const Batch &copy);  ///< with storage's answer
};

class UnackedCopies {
public:
    /// `within`: how long a sender waits before its bundles are copied. It grows with the time that
    /// the next hop usually takes, up to four times as much.
    explicit UnackedCopies(Duration within) : within_(within) {}

    void set_limit(Duration within) { within_ = within; }

    /// The batch leaves by this queue. `at_once`: its acknowledgement is certain to be late.
    void watch(std::size_t queue, const Batch &batch, bool at_once, TimePoint now);
    /// The next hop of this queue acknowledges late: usually, or the oldest batch that it has. A
    /// small window that was used up once does not count once the next hop is in time again.
    [[nodiscard]] bool is_late(std::size_t queue, TimePoint now) const;
    /// The original is back; empty when it was not watched.
    [[nodiscard]] std::optional<WatchedBatch> take(std::size_t queue, std::uint64_t sequence,
                                                   TimePoint now);
    /// A part of it is back; null when it is not watched.
    [[nodiscard]] WatchedBatch *take_part(std::size_t queue, const Batch &part, TimePoint now);
    /// Puts back what take() gave: its copy has not been answered yet.
    void wait_for_copy(std::size_t queue, WatchedBatch watched);

    /// Every batch from this session that is still in flight.
    template <class Visit>
    void for_each_of(UpstreamId upstream, Visit &&visit) const {
        for (const Watch &watch : queues_)
            for (std::size_t place = 0; place < watch.batches.size(); ++place)
                if (const WatchedBatch &batch = watch.batches[place];
                    batch.lent->upstream == upstream)
                    visit(batch);
    }

    /// The next batch to copy now; empty when there is none. Follow with copying().
    [[nodiscard]] const WatchedBatch *poll_due(Upstreams &upstreams, TimePoint now);
    /// What poll_due() gave last goes to storage.
    void copying(std::uint64_t copy_sequence);
    /// Storage has answered for a copy. The batch, if it is still watched; one whose original is
    /// back already is handed over and no longer watched.
    struct Answered {
        std::size_t queue = 0;
        WatchedBatch *watched = nullptr;
        std::optional<WatchedBatch> complete;
    };
    [[nodiscard]] Answered answered(const Batch &copy);

    [[nodiscard]] TimePoint next_timeout() const;

private:
    /// Under load a full pipe takes longer than `within_`, and copying all of it would only slow it
    /// down. So a batch is copied when its sender has stalled or nothing comes back from the next
    /// hop, both seen twice, since what came meanwhile may still wait to be read by a busy loop;
    /// and in any case after so many times `within_`.
    static constexpr int kPatience = 50;

    struct Watch {
        Ring<WatchedBatch> batches;  ///< in the order in which they were lent
        std::size_t copied = 0;      ///< how many of the first ones have a copy
        TimePoint progress{};        ///< when an outcome came back last
        TimePoint check_at{};        ///< nothing was due before
        Duration usual{};            ///< from lending to outcome, smoothed
        bool suspected = false;      ///< at the last check a sender seemed to wait
    };
    /// A next hop that always takes a little longer is waited for: a copy of each bundle would cost
    /// more than it gains. One that takes much longer is not.
    static constexpr int kMostAdapted = 4;

    [[nodiscard]] Duration within(const Watch &watch) const {
        const Duration wanted = watch.usual + watch.usual / 2;
        return wanted > kMostAdapted * within_ ? within_ : std::max(within_, wanted);
    }
    /// The first look, so that the second is in time.
    [[nodiscard]] Duration ripe_after(const Watch &watch) const {
        return within(watch) - within_ / 4;
    }
    [[nodiscard]] bool waits(const Watch &watch, const WatchedBatch &batch, Upstreams &upstreams,
                             TimePoint now) const;

    Duration within_;
    std::vector<Watch> queues_;
    WatchedBatch *polled_ = nullptr;
};

}  // namespace farlink::ingress
