// SPDX-License-Identifier: Apache-2.0
// Room on a disk for what is in memory when the node stops: a file that takes it, and goes when it
// is needed.
// Owned by the storage agent; its thread only.
// A full disk then still takes what ingress holds; without the file an orderly stop would lose it.
#pragma once

#include <cstdint>
#include <string>

namespace farlink::storage {

class StoreReserve {
public:
    /// A file in this folder.
    explicit StoreReserve(std::string folder) : path_(std::move(folder) + "/reserve") {}

    /// Reserves the room, or keeps the former reserve; false with errno when the disk does not
    /// give it.
    [[nodiscard]] bool take(std::uint64_t bytes) const;
    /// Gives it back.
    void give_back() const;

private:
    std::string path_;
};

}  // namespace farlink::storage
