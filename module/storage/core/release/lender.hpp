// SPDX-License-Identifier: Apache-2.0
// Lends bundles that were read to egress, and applies the outcomes when they come back.
// Owned by Releaser; one thread.
// A bundle is never lent twice at a time, a critical one never twice to the same link: it leaves
// kWaiting when it is read, and comes back to it unsent. A bundle in pieces is lent piece by piece
// on one link, and has one outcome.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "module/storage/core/release/forwarded_before.hpp"
#include "module/storage/core/release/refused_releaser.hpp"

namespace farlink::storage {

class Lender {
public:
    Lender(StorageContext &context, Custodian &custodian, ReleaseLinks &links, ReadyFlows &flows,
           CriticalReleaser &critical, RefusedReleaser &refused, Remover &remover)
        : context_(context),
          custodian_(custodian),
          links_(links),
          flows_(flows),
          critical_(critical),
          refused_(refused),
          remover_(remover) {}

    [[nodiscard]] ForwardedBefore &forwarded_before() { return forwarded_before_; }
    /// The number of the batch that was lent last.
    [[nodiscard]] std::uint64_t sequence() const { return sequence_; }

    void handle_read_done(DiskIndex disk, DiskRequestPtr request, TimePoint now);
    /// Outcomes of a lent batch, or of a part of it.
    void handle(BatchPtr batch, TimePoint now);
    /// No more of the bundle that leaves by the link in pieces is read, unless all of it is lent.
    void break_off(LinkId id, ReleaseLink &link);
    /// The same on every link that leads elsewhere now than the bundle goes.
    void break_off_misled();
    /// Ends what was broken off and is over.
    void end_broken_off(TimePoint now);
    /// A bundle that was lent, or a copy of one that ingress has lent, waits again.
    void take_back(EntryIndex index, TimePoint now);

    /// Nothing is lent to egress.
    [[nodiscard]] bool idle() const { return lent_ == 0; }

private:
    void lend_ready(LinkId id, ReleaseLink &link, TimePoint now);
    /// A bundle that has been read.
    struct ReadBundle {
        EntryIndex entry = kNoEntry;
        std::span<const ByteView> slices;
        std::uint64_t size = 0;  ///< bytes
        DtnTime received = 0;
        std::span<const SlabRef> slabs;  ///< under the slices
    };

    /// The fragments of a bundle as it leaves.
    struct JoinedRead {
        std::vector<ByteView> slices;
        std::array<SlabRef, 2> slabs;  ///< under the fragments, and around them
        DtnTime received = 0;          ///< of the one at offset 0
    };
    [[nodiscard]] JoinedRead join(Fetch &fetch);
    void quarantine_all(Fetch &fetch);
    [[nodiscard]] static ReadBundle read_bundle(const DiskRequest &request,
                                                const DiskRecord &record);
    void lend(LinkId id, ReleaseLink &link, Fetch &fetch, TimePoint now);
    void lend_piece(LinkId id, ReleaseLink &link, Fetch &fetch, TimePoint now);
    [[nodiscard]] bool lend_next_piece(LinkId id, ReleaseLink &link, EntryIndex whole,
                                       const DiskRequest &part, const DiskRecord &record,
                                       TimePoint now);
    void take_piece_back(ReleaseLink &link, const Batch &batch, const Batch &whole, TimePoint now);
    void end_spooled(LinkId id, ReleaseLink &link, TimePoint now);
    [[nodiscard]] EntryIndex spooled_on(const ReleaseLink &link) const;
    void lend_joined(LinkId id, ReleaseLink &link, Fetch &fetch, TimePoint now);
    [[nodiscard]] bool quarantine_unreadable(Fetch &fetch, TimePoint now);
    [[nodiscard]] bool is_still_led_by(LinkId id, const ReleaseLink &link, EntryIndex index) const;
    [[nodiscard]] bool change_route(const ReleaseLink &link, EntryIndex index,
                                    const bp::BundleView &view);
    [[nodiscard]] bool may_leave(EntryIndex index, const bp::BundleView &view, ByteView octets);
    [[nodiscard]] std::uint64_t sent_before(const ReleaseLink &link, EntryIndex index) const;
    void note_part(const BatchedBundle &bundle, std::uint64_t sent_payload);
    [[nodiscard]] bool lendable(LinkId id, ReleaseLink &link, const DiskRecord &record,
                                TimePoint now);
    void lend_one(LinkId id, ReleaseLink &link, BatchPtr &batch, const ReadBundle &read,
                  const bp::BundleView &view, TimePoint now);
    void lend_copy(LinkId id, ReleaseLink &link, BatchPtr &batch, DiskRequest &request,
                   const DiskRecord &record, TimePoint now);
    [[nodiscard]] BatchPtr open_batch(LinkId id, const ReleaseLink &link);
    void add(Batch &batch, ReleaseLink &link, const ReadBundle &read, const bp::BundleView &view);
    void send_batch(BatchPtr batch, TimePoint now);
    void set_outcome(LinkId id, ReleaseLink &link, const BatchedBundle &bundle, Outcome outcome,
                     TimePoint now);
    void conclude(LinkId id, ReleaseLink &link, EntryIndex index, Outcome outcome, TimePoint now);
    [[nodiscard]] bool stays_for_copies(EntryIndex index);

    StorageContext &context_;
    Custodian &custodian_;
    ReleaseLinks &links_;
    ReadyFlows &flows_;
    CriticalReleaser &critical_;
    RefusedReleaser &refused_;
    Remover &remover_;
    ForwardedBefore forwarded_before_;
    std::uint64_t sequence_ = 0;
    std::size_t lent_ = 0;            ///< batches at egress
    std::vector<LinkId> broken_off_;  ///< links on which a bundle was broken off
};

}  // namespace farlink::storage
