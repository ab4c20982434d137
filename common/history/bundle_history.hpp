// SPDX-License-Identifier: Apache-2.0
// What a module records of the bundles that end with it.
// Owned by its agent, used by its core; one thread.
// Without memory for records every call returns at once.
#pragma once

#include <memory>

#include "common/bp/parse.hpp"
#include "common/buffer/batch.hpp"
#include "common/history/history_writer.hpp"

namespace farlink::history {

class BundleHistory {
public:
    /// Records nothing.
    BundleHistory() = default;
    /// Null: records nothing.
    explicit BundleHistory(std::unique_ptr<HistoryBlocks> blocks);

    [[nodiscard]] bool on() const { return writer_ != nullptr; }

    void add(const bp::BundleView &view, const Passage &passage);
    /// For octets that were accepted by bp::parse() before.
    void add(std::span<const ByteView> slices, std::uint8_t version, const Passage &passage);
    /// Only the head is here, [0, head_end) of the bundle.
    void add_head(ByteView head, std::uint64_t payload_length, const Passage &passage);
    /// The bundles of a batch; link, sender and size are those of each.
    void add_batch(const Batch &batch, Passage passage);
    void add_unrecorded(std::uint64_t bundles) {
        if (writer_ != nullptr) writer_->add_unrecorded(bundles);
    }

private:
    ByteView add_whole(std::span<const ByteView> slices, std::uint8_t version,
                       const Passage &passage);
    [[nodiscard]] bool add_similar(ByteView bundle, ByteView beginning, std::uint64_t size);

    std::unique_ptr<HistoryBlocks> blocks_;
    std::unique_ptr<HistoryWriter> writer_;
};

}  // namespace farlink::history
