// SPDX-License-Identifier: Apache-2.0
// How much lives in each file of a disk's log.
// Owned by Inventory, one for each disk; one thread.
// A file in which nothing lives is forgotten: the disk removes it by itself.
#pragma once

#include <map>
#include <optional>

#include "common/base/invariant.hpp"
#include "module/storage/disk/disk_io.hpp"

namespace farlink::storage {

class FileTable {
public:
    using File = std::uint32_t;
    [[nodiscard]] static File file_of(RecordNumber number) {
        return static_cast<File>(number >> 32);
    }

    void add(RecordNumber number, std::uint64_t bytes) {
        live_[file_of(number)] += bytes;
        live_bytes_ += bytes;
        youngest_ = std::max(youngest_, file_of(number));
    }
    void remove(RecordNumber number, std::uint64_t bytes) {
        const auto found = live_.find(file_of(number));
        FARLINK_INVARIANT(found != live_.end() && found->second >= bytes);
        live_bytes_ -= bytes;
        found->second -= bytes;
        if (found->second == 0) live_.erase(found);
    }

    [[nodiscard]] std::uint64_t live_bytes() const { return live_bytes_; }
    /// Octets in complete files that nothing needs any more, if each is of that size.
    [[nodiscard]] std::uint64_t dead_bytes(std::uint64_t file_bytes) const {
        const std::uint64_t all = live_.size() * file_bytes;
        return all > live_bytes_ ? all - live_bytes_ : 0;
    }
    /// Something lives in it.
    [[nodiscard]] bool holds(File file) const { return live_.contains(file); }
    [[nodiscard]] File youngest() const { return youngest_; }
    /// The complete file in which least lives, if that is less than `bytes`, and `meant(file)`.
    template <class Meant>
    [[nodiscard]] std::optional<File> emptiest(std::uint64_t bytes, Meant &&meant) const {
        std::optional<File> found;
        for (const auto &[file, live] : live_) {
            if (file == youngest_ || live >= bytes || !meant(file)) continue;
            bytes = live;
            found = file;
        }
        return found;
    }
    [[nodiscard]] std::optional<File> emptiest(std::uint64_t bytes) const {
        return emptiest(bytes, [](File) { return true; });
    }

private:
    std::map<File, std::uint64_t> live_;
    std::uint64_t live_bytes_ = 0;
    File youngest_ = 0;
};

}  // namespace farlink::storage
