// SPDX-License-Identifier: Apache-2.0
// The memory of a bundle history for tests.
// Owned by the test.
// A writer and readers may use it in different threads.
#pragma once

#include <memory>
#include <vector>

#include "common/history/history_reader.hpp"
#include "common/history/history_writer.hpp"

namespace farlink::history {

class HistoryMemory final : public HistoryBlocks {
public:
    explicit HistoryMemory(std::size_t most) : words_(most * kBlockWords), most_(most) {}

    [[nodiscard]] std::size_t count() const override { return count_; }
    [[nodiscard]] std::span<Word, kBlockWords> block(std::size_t index) override {
        return std::span<Word, kBlockWords>(words_.data() + index * kBlockWords, kBlockWords);
    }
    [[nodiscard]] bool grow() override {
        if (count_ == most_) return false;
        ++count_;
        return true;
    }
    [[nodiscard]] HistoryReader reader() const { return HistoryReader(words_); }
    std::vector<Word> &words() { return words_; }

private:
    std::vector<Word> words_;
    std::size_t most_;
    std::size_t count_ = 0;
};

inline BundleFacts facts(std::uint64_t node, std::uint64_t sequence) {
    return {.source = bp::ipn_eid(node, 1),
            .destination = bp::ipn_eid(20, 2),
            .creation_time = 800'000'000'000,
            .sequence = sequence};
}

inline BundleQuery all_of(std::uint64_t node) {
    return {.source = bp::Eid(node, 1)};
}

}  // namespace farlink::history
