// SPDX-License-Identifier: Apache-2.0
// Which octets of a file are there.
// A value of whoever sends or receives the file; one thread.
// Extents are joined, so that a file that comes in order has one.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace farlink::files {

struct Extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  ///< behind the last octet

    [[nodiscard]] std::uint64_t size() const { return end - begin; }
    friend bool operator==(const Extent &, const Extent &) = default;
};

class Extents {
public:
    /// Octets that were not there before.
    std::uint64_t add(Extent extent);
    /// The parts of `extent` that are not there, in order.
    [[nodiscard]] std::vector<Extent> missing(Extent extent) const;
    [[nodiscard]] bool covers(Extent extent) const { return missing(extent).empty(); }
    /// They are there no more.
    void remove(Extent extent);
    [[nodiscard]] bool empty() const { return ends_.empty(); }
    /// The first ones; there are some.
    [[nodiscard]] Extent first() const { return {ends_.begin()->first, ends_.begin()->second}; }
    /// The end of what is there from octet 0 on.
    [[nodiscard]] std::uint64_t first_gap() const;
    [[nodiscard]] std::uint64_t octets() const { return octets_; }
    [[nodiscard]] std::size_t count() const { return ends_.size(); }
    [[nodiscard]] std::vector<Extent> all() const;

private:
    std::map<std::uint64_t, std::uint64_t> ends_;  ///< by begin
    std::uint64_t octets_ = 0;
};

}  // namespace farlink::files
