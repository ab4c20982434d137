// SPDX-License-Identifier: Apache-2.0
// The bundle histories of all modules of a node, to be read.
// Values, owned by the caller.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "common/history/file/mapped_memory.hpp"
#include "common/history/found_bundles.hpp"

namespace farlink::history {

/// The file of one module, as large as it was when it was opened.
class ReadableHistory {
public:
    ReadableHistory(std::string module, MappedMemory memory)
        : module_(std::move(module)), memory_(std::move(memory)) {}

    [[nodiscard]] const std::string &module() const { return module_; }
    [[nodiscard]] HistoryReader reader() const;

private:
    std::string module_;
    MappedMemory memory_;
};

/// Those in the folder that can be read.
[[nodiscard]] std::vector<ReadableHistory> read_histories(const std::string &folder);

/// Searches all histories of the folder, for at most `limit` bundles.
[[nodiscard]] FoundBundles find_bundles(const std::string &folder, const BundleQuery &query,
                                        std::size_t limit);

}  // namespace farlink::history
