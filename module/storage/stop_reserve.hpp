// SPDX-License-Identifier: Apache-2.0
// The room that all disks of the store keep for what is in memory when the node stops.
// Owned by the storage agent; its thread only.
// While it is not complete, the store accepts no bundles, so that room which becomes free goes to
// it; senders without acknowledgements wait.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "common/runtime/log/log.hpp"
#include "module/storage/storage_disk.hpp"
#include "module/storage/store/store_reserve.hpp"

namespace farlink::storage {

class StopReserve {
public:
    /// `bytes`: on all disks together.
    StopReserve(Logger &log, std::uint64_t bytes) : log_(log), bytes_(bytes) {}

    /// Reserves the share of each disk that is open. A disk that is too small for its share gets
    /// half of the room that the store has on it. A disk that is full of stored bundles gets its
    /// share as they leave.
    void take(const std::deque<StorageDisk> &disks);
    /// Takes room that has become free; true when memory_bytes() has changed.
    bool grow();
    void give_back();

    /// All of it is there, or a disk cannot reserve room at all. Without room on any disk it is
    /// not.
    [[nodiscard]] bool is_complete() const;
    /// The disk of this folder has less than it is to have.
    [[nodiscard]] bool is_short(const std::string &folder) const;
    /// The octets in memory that a stop could store; 0 while the reserve is not complete.
    [[nodiscard]] std::uint64_t memory_bytes() const;
    /// The size that the constructor got.
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
    struct Part {
        std::string disk;
        std::string folder;
        StoreReserve reserve;
        std::uint64_t share = 0;
        std::uint64_t aim = 0;   ///< the share, or half of the room of a small disk
        std::uint64_t room = 0;  ///< of the store, free and used, when this was decided

        [[nodiscard]] bool is_short() const { return reserve.bytes() < aim; }
        [[nodiscard]] bool has_nothing() const { return share > 0 && reserve.bytes() == 0; }
    };

    static void fill(Part &part);
    void take(Part &part);

    Logger &log_;
    std::uint64_t bytes_;
    std::vector<Part> parts_;
    bool unsupported_ = false;  ///< by a disk
};

}  // namespace farlink::storage
