// SPDX-License-Identifier: Apache-2.0
// Which disk a bundle goes to: of those that have room for it the one that will be done first.
// Owned by StorageContext; one thread.
// Order within a flow is kept by the index, not by the disks, so any disk will do for any bundle.
#pragma once

#include <optional>
#include <vector>

#include "common/config/node/node_config.hpp"
#include "module/storage/core/index/inventory.hpp"
#include "module/storage/core/state/volume.hpp"

namespace farlink::storage {

/// What of a bundle goes to a disk.
struct StripeShare {
    DiskIndex disk = 0;
    std::uint64_t bytes = 0;
};

class Placement {
public:
    Placement(const config::StorageConfig &config, const Inventory &inventory);

    [[nodiscard]] std::vector<Volume> &volumes() { return volumes_; }
    [[nodiscard]] const std::vector<Volume> &volumes() const { return volumes_; }
    [[nodiscard]] Volume &volume(DiskIndex disk) { return volumes_[disk]; }

    /// A record of this size finds no room even in an empty store.
    [[nodiscard]] bool never_fits(std::uint64_t bytes) const { return bytes > largest_room_bytes_; }
    /// The disk for a record; empty when there is no room. `preferred` is taken if it has room: the
    /// bundles of a batch stay together as far as they can.
    [[nodiscard]] std::optional<DiskIndex> choose(std::uint64_t bytes, Priority priority,
                                                  std::optional<DiskIndex> preferred,
                                                  TimePoint now) const;
    /// What of a bundle of `size` octets each disk gets, so that all are done at the same time;
    /// empty when it had better lie whole on one. Each stripe takes `overhead` octets more: its
    /// header, its label without the list of disks, and padding.
    [[nodiscard]] std::vector<StripeShare> stripe(std::uint64_t size, std::uint64_t overhead,
                                                  Priority priority, TimePoint now) const;
    /// What all bundles together may take when one of this priority comes.
    [[nodiscard]] std::uint64_t limit_for(Priority priority) const {
        return priority == Priority::kExpedited ? capacity_bytes_
                                                : capacity_bytes_ - reserve_bytes_;
    }
    /// Other capacities of the store and its disks. What is stored stays, also above them.
    void set_limits(const config::StorageConfig &config);
    /// The node stops: what is in memory is taken, so many octets of it, whatever the limits.
    void open_reserve(std::uint64_t bytes);
    [[nodiscard]] bool reserve_open() const { return reserve_open_; }
    /// `missing`: the reserve is not complete yet, and room that becomes free is for it first.
    void set_reserve_missing(bool missing) { reserve_missing_ = missing; }
    /// No record is accepted now, and none is deleted to make room.
    [[nodiscard]] bool holds_back() const { return reserve_missing_ && !reserve_open_; }
    /// Sets a disk aside that fails again and again, unless it is the last one that is left.
    bool set_aside(DiskIndex disk);

private:
    void limit_to_disks();
    [[nodiscard]] bool has_room(DiskIndex disk, std::uint64_t bytes) const;
    void share_out(std::uint64_t size, std::vector<StripeShare> &shares) const;

    const Inventory &inventory_;
    std::uint64_t capacity_bytes_;
    std::uint64_t reserve_bytes_;  ///< of it, for expedited bundles only
    std::uint64_t largest_room_bytes_;
    std::uint64_t stripe_above_bytes_;  ///< 0: never
    std::vector<Volume> volumes_;
    bool reserve_open_ = false;
    bool reserve_missing_ = false;
};

}  // namespace farlink::storage
