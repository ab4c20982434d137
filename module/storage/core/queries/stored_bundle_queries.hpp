// SPDX-License-Identifier: Apache-2.0
// Answers operators' requests: which bundles and fragment sets the store holds, and to delete some
// bundles.
// Owned by StorageCore; one thread.
// One request at a time and a part of the bundles at a time, so that bundles are never
// delayed. The heads of listed bundles are read behind all that is read for links.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "common/bp/eid/eid_pattern.hpp"
#include "module/storage/core/index/identity.hpp"
#include "module/storage/core/release/remover.hpp"

namespace farlink::storage {

/// Names a bundle until the node ends: its place in the table of entries, from 1, * 2^32, and the
/// last 32 bits of its arrival number, so that the name of a bundle that is gone is recognised.
/// Never 0. Names ascend in the order in which bundles are looked at.
[[nodiscard]] std::uint64_t name_of(const EntryTable &entries, EntryIndex index);
/// kNoEntry when that bundle is gone.
[[nodiscard]] EntryIndex find_named(const EntryTable &entries, std::uint64_t name);
/// The same for a fragment set: its place and 32 bits of its key.
[[nodiscard]] std::uint64_t name_of_set(const FragmentSets &sets, SetIndex index);

class StoredBundleQueries {
public:
    /// Marks its reads among those of others.
    static constexpr std::uint64_t kTag = ~std::uint64_t{0} - 2;
    /// Bundles looked at in one turn: less than a millisecond.
    static constexpr std::size_t kLookAtOnce = 4096;
    /// Of these, so many are deleted at most.
    static constexpr std::size_t kDeleteAtOnce = 512;
    /// Of fragment sets, so many fragments are looked at in one turn, and those of one set more.
    static constexpr std::size_t kFragmentsAtOnce = 65'536;
    /// Missing ranges that are listed of a set.
    static constexpr std::size_t kMostGaps = 8;
    /// Requests that wait for their turn; more are refused.
    static constexpr std::size_t kMostWaiting = 16;
    /// Listed bundles whose heads are read, and the octets read for them: a record is read whole.
    static constexpr std::size_t kMostHeads = 128;
    static constexpr std::uint64_t kMostHeadReadBytes = 16 * 1024 * 1024;
    /// Octets of one read. Of a record that is larger, of a stripe and of a piece only the first
    /// kLargestHeadBytes are read, without a comparison of checksums. A bundle whose disk takes
    /// longer is listed without its head.
    static constexpr std::uint64_t kLargestReadBytes = 1024 * 1024;
    static constexpr Duration kReadWithin = seconds(2);
    static constexpr std::size_t kLargestHeadBytes = 16 * 1024;

    StoredBundleQueries(StorageContext &context, Remover &remover)
        : context_(context), remover_(remover) {}

    void set_identity_key(const SipKey &key) { identity_of_.set_key(key); }
    void handle(const bus::StoreRequest &request);
    /// At a time in the past while there is something to look at.
    [[nodiscard]] TimePoint next_timeout() const;
    /// Looks on for a moment.
    void handle_timeout(TimePoint now);

    /// The next read of heads; one at a time for each disk.
    [[nodiscard]] DiskRequestPtr poll_read(DiskIndex disk, TimePoint now);
    /// A request with kTag has come back.
    void handle_read_done(DiskIndex disk, DiskRequestPtr request);

private:
    enum class Phase : std::uint8_t { kIdle, kLooking, kReading };

    void begin();
    void name_found();
    [[nodiscard]] std::size_t places() const;
    void look_at_bundles(std::size_t end, TimePoint now);
    void look_at_sets(std::size_t end, TimePoint now);
    [[nodiscard]] bool limit_reached(TimePoint now);
    [[nodiscard]] EntryIndex bundle_at(std::size_t place);
    [[nodiscard]] EntryIndex set_at(std::size_t place);
    [[nodiscard]] bool is_meant(const Entry &entry);
    [[nodiscard]] bool covers(FlowIndex flow);
    [[nodiscard]] DiskIndex disk_of(EntryIndex index) const;
    void take(EntryIndex index);
    void list_set(SetIndex set, EntryIndex first);
    [[nodiscard]] bus::StoredBundle row_of(EntryIndex index) const;
    [[nodiscard]] bus::StoredState state_of(EntryIndex index) const;
    void remove(EntryIndex index);
    void finish_looking(TimePoint now);
    [[nodiscard]] std::size_t row_count() const;
    [[nodiscard]] bus::StoredBundle &row_at(std::size_t at);
    void want_heads();
    /// Where the head of a bundle lies, and how much of that record is read.
    struct HeadRecord {
        StoredRecord record{};
        std::uint64_t from = 0;  ///< octets of the record before the head; 0: it is read whole
        std::uint64_t bytes = 0;
    };
    [[nodiscard]] HeadRecord head_record_of(EntryIndex index) const;
    void note_head(const DiskRecord &record);
    [[nodiscard]] bool all_read() const;
    void answer();

    StorageContext &context_;
    Remover &remover_;
    Ring<bus::StoreRequest> waiting_;

    // ---- the request whose turn it is
    IdentityHasher identity_of_;
    Phase phase_ = Phase::kIdle;
    std::uint32_t serial_ = 0;  ///< of it; a read for an earlier one is recognised
    bus::StoreRequest request_;
    std::optional<bp::EidPattern> destination_;
    bus::StoreReply reply_;
    std::size_t place_ = 0;       ///< the next to look at
    std::uint32_t taken_ = 0;     ///< bundles listed or deleted, sets listed
    FlowIndex judged_ = kNoFlow;  ///< the flow that was looked at last, and what came of it
    bool judged_covered_ = false;
    std::array<std::vector<std::uint32_t>, kMaxDisks> heads_;  ///< rows to be read, last ones first
    std::array<std::uint32_t, kMaxDisks> reading_{};  ///< for which request the disk reads; 0: none
    TimePoint read_until_ = kNever;
};

}  // namespace farlink::storage
