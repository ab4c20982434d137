// SPDX-License-Identifier: Apache-2.0
// What is there of a file that arrives: octets in its copy, extents and checksum of them.
// Owned by a receiver; one thread.
// File data may come before Metadata: until then the checksum is made by every algorithm.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cfdp/core/checksum/file_checksum.hpp"
#include "cfdp/core/transaction/filestore.hpp"
#include "common/files/extents.hpp"

namespace farlink::cfdp {

class ReceivedFile {
public:
    /// More extents mean segments that are small and far apart; further ones are not taken.
    static constexpr std::size_t kMostExtents = 65'536;

    explicit ReceivedFile(std::unique_ptr<ArrivingCopy> copy);

    /// Writes what was not there yet.
    [[nodiscard]] Result<void, FileFault> write(std::uint64_t offset, ByteView data);
    /// The algorithm is known.
    void choose(Algorithm algorithm);
    [[nodiscard]] std::optional<std::uint32_t> checksum(std::uint64_t size) const;

    [[nodiscard]] const files::Extents &extents() const { return extents_; }
    /// Behind the last octet that is there.
    [[nodiscard]] std::uint64_t progress() const { return progress_; }
    [[nodiscard]] std::uint64_t repeated() const { return repeated_; }
    [[nodiscard]] ArrivingCopy &copy() { return *copy_; }

    /// The extents and their checksums, and back.
    void append_state(Bytes &to) const;
    [[nodiscard]] bool load_state(ByteView state);

private:
    std::unique_ptr<ArrivingCopy> copy_;
    std::vector<FileChecksum> checksums_;
    files::Extents extents_;
    std::uint64_t progress_ = 0;
    std::uint64_t repeated_ = 0;
};

}  // namespace farlink::cfdp
