// SPDX-License-Identifier: Apache-2.0
// A batch: bundles that travel together between two modules as one bus message.
// Its creator owns it: it is lent to egress or storage with a message and
// returns with one outcome per bundle, on every path. Only the creator's thread touches its slabs'
// counts; all others only read octets and write `outcome`. A borrower may report early outcomes of
// some bundles by a part of the batch, and return the batch itself later.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/endpoint_links.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/buffer/bundle_piece.hpp"
#include "common/buffer/slab.hpp"

namespace farlink {

/// What became of a bundle of a batch. Only kSent, kStored and kDuplicate mean "safe".
enum class Outcome : std::uint8_t {
    kPending = 0,
    kSent = 1,       ///< handed over to the next hop as its layer promises
    kStored = 2,     ///< on disk and flushed
    kDuplicate = 3,  ///< an equal bundle is held already, and flushed
    kNotSent = 4,    ///< the link went down first: the owner keeps the bundle
    kNoSpace = 5,    ///< storage refused it
    kExpired = 6,    ///< its lifetime ended before it could be sent or stored
    kIoError = 7,    ///< the disk failed
    kTooLate = 8,  ///< it cannot finish before the contact ends: the owner keeps it until the next
    kReturnedEarly = 9,  ///< its outcome was returned earlier, with a part of its batch
    kRefused = 10,  ///< the next hop does not take this bundle: the owner keeps it for another way
    kDeletedHopLimit = 11,    ///< deleted by the borrower: no hop was left
    kDeletedUnreadable = 12,  ///< deleted by the borrower: no head could be made for it
    kContradicts = 13,        ///< a fragment whose octets differ from those that are held
    kTooManyFragments = 14,   ///< a fragment beyond a limit of its source
    kTooLarge = 15,  ///< larger than the link takes, and not cut: the owner keeps it, as kRefused
    kUnacknowledged = 16,  ///< from ingress to egress only: repeated, and never answered
    kPartSent = 17,        ///< of a bundle of storage, which keeps all behind Batch::sent_payload
};
/// The owner keeps the bundle, and finds it a way again.
[[nodiscard]] constexpr bool is_kept(Outcome outcome) {
    return outcome == Outcome::kNotSent || outcome == Outcome::kTooLate ||
           outcome == Outcome::kRefused || outcome == Outcome::kTooLarge ||
           outcome == Outcome::kPartSent;
}
/// The bundle is no more, and has not been sent.
[[nodiscard]] constexpr bool is_deleted(Outcome outcome) {
    return outcome == Outcome::kDeletedHopLimit || outcome == Outcome::kDeletedUnreadable;
}

/// Bits of BatchedBundle::requests: the requests of the bundle.
inline constexpr std::uint8_t kReportForwarding = 1;
inline constexpr std::uint8_t kReportDeletion = 2;
inline constexpr std::uint8_t kReportReception = 4;
inline constexpr std::uint8_t kReportDelivery = 8;
/// Custody transfer (BPv6): in a record of the store, that this node is the custodian.
inline constexpr std::uint8_t kRequestCustody = 16;
/// Every way that may bring the bundle there in time (extended class of service, or a policy).
inline constexpr std::uint8_t kRequestCritical = 32;

/// One bundle of a batch; offsets count octets from the start of the bundle.
struct BatchedBundle {
    std::uint64_t size = 0;         ///< bytes of the whole bundle
    std::uint64_t arrival = 0;      ///< order of arrival at this node; increases over restarts
    std::uint64_t flow = 0;         ///< FlowKey: destination and priority, hashed
    std::uint64_t record = 0;       ///< storage's own number of it; 0 when it never was on disk
    DtnTime expiry = kDtnNever;     ///< DTN milliseconds at which its lifetime ends
    TimePoint received{};           ///< for bundle age (RFC 9171 4.4.2) and latency
    std::uint32_t first_slice = 0;  ///< in Batch::slices
    std::uint32_t slice_count = 0;
    std::uint32_t primary_end = 0;  ///< end of the primary block
    std::uint32_t head_end = 0;     ///< start of the payload block; [0, head_end) lies in slice 0
    std::uint8_t version = 7;
    Priority priority = Priority::kNormal;
    Outcome outcome = Outcome::kPending;
    std::uint8_t requests = 0;   ///< kReport* bits, kRequest*
    std::uint32_t transfer = 0;  ///< its number in Batch::upstream, the low 32 bits
};
static_assert(sizeof(BatchedBundle) == 72);

/// Egress lends what its links have received, and what is to leave by a session of ingress; the
/// module of applications lends what those have sent.
enum class BatchOwner : std::uint8_t { kIngress = 0, kStorage = 1, kEgress = 2, kApplications = 3 };

/// BatchedBundle::flow in a batch of egress: a further fragment of the bundle before.
inline constexpr std::uint64_t kContinuesFlow = 1;

/// A batch closes at the first of these; one bundle above the bytes travels alone.
inline constexpr std::size_t kBatchBytes = 256 * 1024;
inline constexpr std::size_t kBatchBundles = 1024;

class Batch {
public:
    BatchOwner owner = BatchOwner::kIngress;
    std::uint8_t instance = 0;   ///< of the owner
    LinkId link = kNoLink;       ///< the link to leave by (forward, release)
    NodeNumber next_hop{};       ///< the neighbour it is meant for; to storage: the sender
    NodeNumber sender{};         ///< the neighbour it came from
    std::uint64_t sequence = 0;  ///< by which its owner finds it while it is out
    std::uint64_t number = 0;  ///< from ingress: rising from batch to batch, also when it restarts
    std::uint64_t bytes = 0;   ///< sum of the bundles' sizes
    std::uint32_t done = 0;    ///< how many outcomes are known; the borrower's bookkeeping
    /// The session that awaits the disposition of the bundles; kNoUpstream: none does.
    UpstreamId upstream = kNoUpstream;
    /// To storage: the oldest that is not stored. After a refusal, bundles are sent from here on.
    bool resumes = false;
    /// To storage: it has refused these bundles before.
    bool retried = false;
    /// To storage: the bundles are on their way to the next hop as well, and are kept only until
    /// CopyOutcomes reports the outcome.
    bool copy = false;
    /// What left before it and goes first, 0: nothing. To storage, for each carrier: the `number`
    /// of the last batch that the owner had given it. From storage to a carrier, for each instance
    /// of ingress: the same of what storage had from that one.
    std::array<std::uint64_t, kMostCarriers> behind{};
    std::uint8_t requests = 0;  ///< union of the bundles' requests
    /// When present, the one bundle of the batch is a piece of a larger one: its `size` and slices
    /// are those of the piece, all else is that of the whole (but primary_end and head_end are 0
    /// behind the first piece). Without a bundle: the pieces before it are void, none will follow.
    BundlePiece piece;
    /// Octets of a payload that have left in earlier contacts. To egress: of the one bundle of the
    /// batch; only what follows them leaves. Back: of the bundle whose outcome is kPartSent.
    std::uint64_t sent_payload = 0;
    /// A part: outcomes of some bundles of this batch, which is lent still and comes back later.
    /// Its own bundles have nothing but an outcome, kPending where there is none yet.
    const Batch *whole = nullptr;
    /// When not kPending, the outcome of every bundle: the usual case costs one octet, not one
    /// cache line a bundle. Read outcomes through outcome_of().
    Outcome uniform = Outcome::kPending;
    std::vector<BatchedBundle> bundles;
    std::vector<ByteView> slices;
    std::vector<SlabRef> slabs;

    [[nodiscard]] std::span<const ByteView> slices_of(const BatchedBundle &bundle) const {
        return {slices.data() + bundle.first_slice, bundle.slice_count};
    }
    [[nodiscard]] Outcome outcome_of(const BatchedBundle &bundle) const {
        return uniform == Outcome::kPending ? bundle.outcome : uniform;
    }
    void pin(const SlabRef &slab) {
        if (slabs.empty() || slabs.back() != slab) slabs.push_back(slab);
    }
    /// What of its bundles is to leave.
    [[nodiscard]] std::uint64_t bytes_to_send() const {
        return bytes - std::min(bytes, sent_payload);
    }
    [[nodiscard]] bool full() const {
        return bytes >= kBatchBytes || bundles.size() >= kBatchBundles;
    }
    void clear() {
        link = kNoLink;
        next_hop = sender = {};
        sequence = number = bytes = 0;
        done = 0;
        requests = 0;
        upstream = kNoUpstream;
        resumes = retried = copy = false;
        piece = {};
        sent_payload = 0;
        behind = {};
        whole = nullptr;
        uniform = Outcome::kPending;
        bundles.clear();
        slices.clear();
        slabs.clear();
    }

    /// Publishes all writes to this batch to the thread that calls take() next.
    void give() { handed_over_.store(1, std::memory_order_release); }
    void take() { handed_over_.load(std::memory_order_acquire); }

private:
    std::atomic<std::uint32_t> handed_over_{0};
};

using BatchPtr = std::unique_ptr<Batch>;

/// Recycles batches with the memory of their arrays. Owned by the batches' owner, one thread.
class BatchPool {
public:
    explicit BatchPool(BatchOwner owner, std::size_t instance = 0)
        : owner_(owner), instance_(static_cast<std::uint8_t>(instance)) {}

    [[nodiscard]] BatchPtr acquire() {
        if (free_.empty()) {
            auto fresh = std::make_unique<Batch>();
            fresh->owner = owner_;
            fresh->instance = instance_;
            return fresh;
        }
        BatchPtr batch = std::move(free_.back());
        free_.pop_back();
        return batch;
    }
    /// Drops the slabs that the batch pinned and keeps its arrays for the next one.
    void recycle(BatchPtr batch) {
        batch->clear();
        free_.push_back(std::move(batch));
    }

private:
    BatchOwner owner_;
    std::uint8_t instance_;
    std::vector<BatchPtr> free_;
};

}  // namespace farlink
