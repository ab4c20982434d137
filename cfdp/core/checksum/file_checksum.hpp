// SPDX-License-Identifier: Apache-2.0
// The checksum of a file whose octets come in any order: kept for each extent, and combined where
// extents meet. The file is not read again.
// Owned by a sender or a receiver; one thread. CCSDS 727.0-B-5 section 4.2.2.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/files/extents.hpp"

namespace farlink::cfdp {

/// The algorithms by their numbers of the standard's registry.
enum class Algorithm : std::uint8_t {
    kModular = 0,
    kProximity1 = 1,
    kCrc32c = 2,
    kCrc32 = 3,
    kNull = 15,
};

/// None: the number of no algorithm of this entity.
[[nodiscard]] std::optional<Algorithm> algorithm_of(std::uint8_t checksum_type);

/// The sum of big-endian words of four octets; `offset` is the place of the data in the file.
[[nodiscard]] std::uint32_t modular_sum(std::uint64_t offset, ByteView data);

class FileChecksum {
public:
    struct Part {
        files::Extent extent{};
        std::uint32_t value = 0;
    };

    explicit FileChecksum(Algorithm algorithm) : algorithm_(algorithm) {}

    /// Octets that were not there before.
    void add(std::uint64_t offset, ByteView data);
    /// Of an earlier run.
    void restore(const Part &part);
    /// Of the octets from 0 to `size`; none: some are missing.
    [[nodiscard]] std::optional<std::uint32_t> value(std::uint64_t size) const;
    [[nodiscard]] std::vector<Part> parts() const;
    [[nodiscard]] Algorithm algorithm() const { return algorithm_; }

private:
    struct Run {
        std::uint64_t end = 0;
        std::uint32_t value = 0;
    };
    using Runs = std::map<std::uint64_t, Run>;

    [[nodiscard]] std::uint32_t extend(std::uint32_t value, std::uint64_t offset,
                                       ByteView data) const;
    [[nodiscard]] std::uint32_t combine(std::uint32_t a, std::uint32_t b,
                                        std::uint64_t bytes_b) const;
    /// Joins a run with the one behind it, where they meet.
    void join_next(Runs::iterator run);

    Algorithm algorithm_;
    Runs runs_;  ///< by their first octets
};

}  // namespace farlink::cfdp
