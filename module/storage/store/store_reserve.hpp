// SPDX-License-Identifier: Apache-2.0
// Room on a disk for what is in memory when the node stops: a file that takes it, and goes when it
// is needed.
// Owned by the storage agent; its thread only.
// A full disk then still takes what ingress holds; without the file an orderly stop would lose it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace farlink::storage {

class StoreReserve {
public:
    /// A file in this folder.
    explicit StoreReserve(std::string folder)
        : folder_(std::move(folder)), path_(folder_ + "/reserve") {}

    /// Reserves `bytes` in all, or as much of it as the disk has. What is reserved already stays,
    /// also what a killed run has left.
    void grow(std::uint64_t bytes);
    /// Gives back what is beyond `bytes`.
    void shrink(std::uint64_t bytes);
    /// Gives all of it back.
    void give_back();

    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    /// Why the last grow() did not reserve all: an errno. 0: it did, or the disk has no more room.
    [[nodiscard]] int error() const { return error_; }

private:
    [[nodiscard]] bool extend(int file, std::uint64_t bytes);

    std::string folder_;
    std::string path_;
    std::uint64_t bytes_ = 0;
    int error_ = 0;
};

}  // namespace farlink::storage
