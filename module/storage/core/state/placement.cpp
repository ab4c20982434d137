// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/placement.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "module/storage/core/state/stripe_label.hpp"

namespace farlink::storage {

Placement::Placement(const config::StorageConfig &config, const Inventory &inventory)
    : inventory_(inventory),
      capacity_bytes_(config.capacity_bytes),
      reserve_bytes_(std::min(config.expedited_reserve_bytes, config.capacity_bytes)),
      largest_room_bytes_(config.largest_room_bytes()),
      stripe_above_bytes_(config.stripe_above_bytes) {
    FARLINK_INVARIANT(config.disks.size() <= kMaxDisks);
    for (const config::StorageDiskConfig &disk : config.disks)
        volumes_.emplace_back(config.group_commit_window,
                              disk.capacity_bytes == 0 ? capacity_bytes_ : disk.capacity_bytes);
    if (volumes_.empty()) volumes_.emplace_back(config.group_commit_window, capacity_bytes_);
    limit_to_disks();
}

void Placement::set_limits(const config::StorageConfig &config) {
    if (reserve_open_) return;
    capacity_bytes_ = config.capacity_bytes;
    reserve_bytes_ = std::min(config.expedited_reserve_bytes, config.capacity_bytes);
    largest_room_bytes_ = config.largest_room_bytes();
    for (std::size_t at = 0; at < volumes_.size(); ++at) {
        const std::uint64_t own =
            at < config.disks.size() ? config.disks[at].capacity_bytes : std::uint64_t{0};
        volumes_[at].set_capacity(own == 0 ? capacity_bytes_ : own);
    }
    limit_to_disks();
}

// A reserve is one of what there is, not of what the disks cannot hold.
void Placement::limit_to_disks() {
    std::uint64_t sum = 0;
    for (const Volume &volume : volumes_)
        sum += std::min(volume.capacity_bytes(), capacity_bytes_ - sum);
    capacity_bytes_ = sum;
    reserve_bytes_ = std::min(reserve_bytes_, capacity_bytes_);
}

bool Placement::has_room(DiskIndex disk, std::uint64_t bytes) const {
    const Volume &volume = volumes_[disk];
    return !volume.is_set_aside() && bytes <= volume.capacity_bytes() &&
           inventory_.usage().bytes_on(disk) <= volume.capacity_bytes() - bytes;
}

std::optional<DiskIndex> Placement::choose(std::uint64_t bytes, Priority priority,
                                           std::optional<DiskIndex> preferred,
                                           TimePoint now) const {
    const std::uint64_t limit = limit_for(priority);
    if (bytes > limit || inventory_.usage().bytes() > limit - bytes) return std::nullopt;
    if (preferred && has_room(*preferred, bytes)) return preferred;
    // The disk that will be done first; of idle ones the emptier, so that they take turns.
    const auto rank = [&](DiskIndex disk) {
        const Volume &volume = volumes_[disk];
        return std::tuple(volume.doubtful(now), volume.expected_seconds(),
                          inventory_.usage().bytes_on(disk));
    };
    std::optional<DiskIndex> best;
    for (std::size_t at = 0; at < volumes_.size(); ++at) {
        const auto disk = static_cast<DiskIndex>(at);
        if (has_room(disk, bytes) && (!best || rank(disk) < rank(*best))) best = disk;
    }
    return best;
}

std::vector<StripeShare> Placement::stripe(std::uint64_t size, std::uint64_t overhead,
                                           Priority priority, TimePoint now) const {
    std::vector<StripeShare> shares;
    if (stripe_above_bytes_ == 0 || size <= stripe_above_bytes_) return shares;
    for (std::size_t at = 0; at < volumes_.size(); ++at) {
        const Volume &volume = volumes_[at];
        if (!volume.is_set_aside() && !volume.doubtful(now) && volume.id() != 0)
            shares.push_back({static_cast<DiskIndex>(at), 0});
    }
    // Without those that have no room for their part, the others' parts are larger.
    for (;;) {
        const std::size_t count = shares.size();
        if (count < 2) return {};
        share_out(size, shares);
        const std::uint64_t beside = overhead + stripe_label_bytes(count);
        const auto unfit = [&](const StripeShare &share) {
            return share.bytes == 0 || !has_room(share.disk, share.bytes + beside);
        };
        if (std::erase_if(shares, unfit) > 0) continue;
        // What is read goes into one buffer.
        const std::uint64_t all = size + count * beside;
        const bool fits = all <= std::numeric_limits<std::uint32_t>::max() &&
                          all <= limit_for(priority) &&
                          inventory_.usage().bytes() <= limit_for(priority) - all;
        return fits ? shares : std::vector<StripeShare>{};
    }
}

/// By the rates that the disks have shown; equal parts while one of them is not known.
void Placement::share_out(std::uint64_t size, std::vector<StripeShare> &shares) const {
    const auto rate_of = [this](const StripeShare &share) { return volumes_[share.disk].rate(); };
    const bool known = std::ranges::all_of(shares, [&](double rate) { return rate > 0; }, rate_of);
    double sum = 0;
    for (const StripeShare &share : shares) sum += known ? rate_of(share) : 1;
    std::uint64_t left = size;
    for (StripeShare &share : shares) {
        const double part = (known ? rate_of(share) : 1) / sum;
        share.bytes = std::min(left, static_cast<std::uint64_t>(static_cast<double>(size) * part));
        left -= share.bytes;
    }
    shares.back().bytes += left;
}

void Placement::open_reserve(std::uint64_t bytes) {
    if (std::exchange(reserve_open_, true)) return;
    for (Volume &volume : volumes_) volume.add_capacity(bytes);
    capacity_bytes_ += bytes;
    largest_room_bytes_ += bytes;
    reserve_bytes_ = 0;
}

bool Placement::set_aside(DiskIndex disk) {
    const auto in_use = [](const Volume &volume) { return !volume.is_set_aside(); };
    if (!in_use(volumes_[disk]) || std::ranges::count_if(volumes_, in_use) < 2) return false;
    volumes_[disk].set_aside();
    return true;
}

}  // namespace farlink::storage
