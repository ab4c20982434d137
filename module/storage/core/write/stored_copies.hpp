// SPDX-License-Identifier: Apache-2.0
// Applies to stored copies what became of their originals, which ingress has lent to egress.
// Owned by StoreWriter; one thread.
// The copy of a bundle that was sent is discarded; the copy of one that was not becomes the bundle.
#pragma once

#include <vector>

#include "module/storage/core/state/storage_context.hpp"

namespace farlink::storage {

class StoredCopies {
public:
    explicit StoredCopies(StorageContext &context) : context_(context) {}

    /// The copy is on disk and flushed. If its original's outcome has come already, the copy is
    /// discarded, or its flow goes to `offered`.
    void handle_flushed(EntryIndex index, std::uint64_t arrival, std::vector<FlowIndex> &offered);
    /// The outcome of an original. The entry of the copy if that is the bundle now, for the
    /// releaser to take back; kNoEntry otherwise.
    [[nodiscard]] EntryIndex handle(const bus::CopyFate &outcome, std::size_t instance);
    /// That instance of ingress will report no outcome: its copies are bundles now. The entries of
    /// those on disk, for the releaser.
    [[nodiscard]] std::vector<EntryIndex> end(std::size_t instance);

private:
    [[nodiscard]] EntryIndex set_outcome(std::uint64_t arrival, CopyTable::Copy &copy, bool sent);
    [[nodiscard]] EntryIndex set_single_outcome(EntryIndex index, bool sent);
    [[nodiscard]] EntryIndex set_shared_outcome(EntryIndex index, std::uint64_t arrival, bool sent);

    StorageContext &context_;
};

}  // namespace farlink::storage
