// SPDX-License-Identifier: Apache-2.0
// Cuts octets into slices, each in memory of exactly its size, so that a sanitizer sees every octet
// read beyond one.
// Owned by the test that makes it.
// One thread.
#pragma once

#include <memory>
#include <vector>

#include "common/base/bytes.hpp"

namespace farlink::test {

class Sliced {
public:
    /// `cuts` ascend; a cut at the same place twice makes an empty slice.
    Sliced(ByteView octets, const std::vector<std::size_t> &cuts) {
        std::size_t from = 0;
        for (const std::size_t cut : cuts) {
            add(octets.subspan(from, cut - from));
            from = cut;
        }
        add(octets.subspan(from));
    }
    [[nodiscard]] std::span<const ByteView> slices() const { return views_; }

private:
    void add(ByteView octets) {
        auto copy = std::make_unique<std::uint8_t[]>(octets.size());
        std::copy(octets.begin(), octets.end(), copy.get());
        views_.emplace_back(copy.get(), octets.size());
        memory_.push_back(std::move(copy));
    }

    std::vector<std::unique_ptr<std::uint8_t[]>> memory_;
    std::vector<ByteView> views_;
};

}  // namespace farlink::test
