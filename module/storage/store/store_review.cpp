// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/store_review.hpp"

#include <algorithm>
#include <optional>

#include "module/storage/store/directory/posix_directory.hpp"
#include "module/storage/store/log/log_scanner.hpp"

namespace farlink::storage {
namespace {

/// By the newest file whose header can be read: all are of one node.
std::optional<StoreError> fault_on(const std::string &folder, NodeNumber node) {
    PosixDirectory directory(folder);
    if (!directory.open_unlocked()) return std::nullopt;
    auto files = directory.list().value_or(std::vector<FileNumber>{});
    std::ranges::reverse(files);
    for (const FileNumber file : files)
        if (const auto header = read_file_header(directory, file)) return fault_of(*header, node);
    return std::nullopt;
}

}  // namespace

std::string refusal_of(const std::string &disk, StoreError error) {
    return "disk " + disk + ": " + std::string(to_string(error)) + "; the node does not start";
}

std::vector<std::string> review_store(const config::StorageConfig &config, NodeNumber node) {
    std::vector<std::string> lines;
    for (const config::StorageDiskConfig &disk : config.disks)
        if (const auto fault = fault_on(disk.directory, node))
            lines.push_back(refusal_of(disk.name, *fault));
    return lines;
}

}  // namespace farlink::storage
