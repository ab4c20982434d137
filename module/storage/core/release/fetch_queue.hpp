// SPDX-License-Identifier: Apache-2.0
// Reads for one link that may lie on several disks and come back in any order.
// Part of ReleaseLink; one thread.
// A fetch is complete when all its disks have answered; fetches leave in the order of their making,
// and the records of one in the order in which they were added.
#pragma once

#include <array>
#include <cstring>
#include <optional>

#include "common/buffer/ring.hpp"
#include "module/storage/core/index/entry_table.hpp"
#include "module/storage/disk/disk_io.hpp"

namespace farlink::storage {

struct Fetch {
    std::array<DiskRequestPtr, kMaxDisks> parts;  ///< by disk; DiskRecord::place orders the records
    std::uint32_t records = 0;
    std::uint32_t missing = 0;     ///< parts at their disks
    std::uint64_t bytes = 0;       ///< of its bundles
    std::uint64_t read_bytes = 0;  ///< of their records in the log
    bool striped = false;          ///< it is one bundle, a stripe of it in each part
    EntryIndex joined = kNoEntry;  ///< it is this bundle, and the records are its fragments
    bool piece = false;            ///< it is one piece of the bundle in ReleaseLink::spooled

    /// Nothing else is read with it.
    [[nodiscard]] bool alone() const { return striped || piece || joined != kNoEntry; }

    /// Calls `visit(part, record)` for every record in order.
    template <class Visit>
    void for_each(Visit &&visit) {
        std::array<std::size_t, kMaxDisks> at{};
        std::size_t disk = 0;
        const auto leads = [&](std::uint32_t place) {
            return parts[disk] != nullptr && at[disk] < parts[disk]->records.size() &&
                   parts[disk]->records[at[disk]].place == place;
        };
        for (std::uint32_t place = 0; place < records; ++place) {
            for (std::size_t tried = 0; !leads(place); ++tried) {
                FARLINK_INVARIANT(tried < kMaxDisks);
                disk = (disk + 1) % kMaxDisks;
            }
            visit(*parts[disk], parts[disk]->records[at[disk]++]);
        }
    }
    /// All stripes have been read: the first one's record becomes that of the bundle, in one piece,
    /// and stays the only one. It is intact if all of them are.
    void join() {
        std::array<DiskRequest *, kMaxDisks> stripes{};
        for (const DiskRequestPtr &part : parts)
            if (part != nullptr) stripes[part->records.front().stripe] = part.get();
        DiskRecord &whole = stripes[0]->records.front();
        for (std::size_t at = 1; at < kMaxDisks && stripes[at] != nullptr; ++at) {
            const DiskRecord &more = stripes[at]->records.front();
            if (whole.status == DiskStatus::kOk) whole.status = more.status;
            if (whole.status == DiskStatus::kOk) {
                // It lies behind, with nothing but its own header and padding in between.
                const std::size_t end =
                    static_cast<std::size_t>(whole.octets.data() - whole.buffer.data()) +
                    whole.octets.size();
                std::memmove(whole.buffer.data() + end, more.octets.data(), more.octets.size());
                whole.octets = {whole.octets.data(), whole.octets.size() + more.octets.size()};
                whole.head.size = whole.octets.size();
            }
            stripes[at]->records.clear();
        }
    }
};

class FetchQueue {
public:
    /// Takes a fetch whose parts are about to go to their disks under the returned number.
    [[nodiscard]] std::uint32_t add(Fetch fetch) {
        fetches_.push_back(std::move(fetch));
        return first_ + static_cast<std::uint32_t>(fetches_.size() - 1);
    }
    /// A part has come back.
    void put(std::uint32_t number, DiskIndex disk, DiskRequestPtr part) {
        const std::uint32_t place = number - first_;
        FARLINK_INVARIANT(place < fetches_.size() && fetches_[place].missing > 0);
        fetches_[place].parts[disk] = std::move(part);
        --fetches_[place].missing;
    }
    /// The oldest fetch; null while it is not complete.
    [[nodiscard]] const Fetch *complete() const {
        return fetches_.empty() || fetches_.front().missing > 0 ? nullptr : &fetches_.front();
    }
    /// The same, to be taken.
    [[nodiscard]] std::optional<Fetch> poll() {
        if (complete() == nullptr) return std::nullopt;
        ++first_;
        return fetches_.pop_front();
    }

private:
    Ring<Fetch> fetches_;      ///< oldest first
    std::uint32_t first_ = 0;  ///< number of fetches_.front(); wraps round
};

}  // namespace farlink::storage
