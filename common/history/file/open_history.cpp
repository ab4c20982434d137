// SPDX-License-Identifier: Apache-2.0
#include "common/history/file/open_history.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "common/history/file/history_file.hpp"
#include "common/history/file/history_header.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::history {
namespace {

bool is_written(const config::NodeConfig &config) {
    const bool asked_for = !config.control_socket.empty() || config.api.wanted();
    return config.history.enabled && config.history.bundles > 0 && asked_for;
}

/// Why the file is that of another node; empty: it is not, or nothing can be read of it.
std::string foreign_history(const std::string &path, NodeNumber node) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    std::array<std::uint8_t, kHeaderUsedBytes> octets{};
    if (!file ||
        ::pread(file.get(), octets.data(), octets.size(), 0) != static_cast<ssize_t>(octets.size()))
        return {};
    const ByteView header(octets);
    const bool foreign = wrong_with_header(header).empty() && node_of_header(header) != node;
    return foreign ? foreign_words(header, node) : std::string();
}

}  // namespace

std::vector<std::string> review_history(const config::NodeConfig &config) {
    namespace fs = std::filesystem;
    std::vector<std::string> lines;
    if (!is_written(config)) return lines;
    std::error_code error;
    fs::directory_iterator at(config.history.bundles_folder, error);
    for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
        if (at->path().extension() != kFileEnding) continue;
        const std::string wrong = foreign_history(at->path().string(), config.node);
        if (!wrong.empty())
            lines.push_back(at->path().string() + ": " + wrong + "; the node does not start");
    }
    std::ranges::sort(lines);
    return lines;
}

std::uint64_t mapped_bytes(const config::NodeConfig &config) {
    return is_written(config) ? HistoryFile::mapped_bytes(config.history.bundles) : 0;
}

BundleHistory open_history(const config::NodeConfig &config, std::string_view module,
                           const Logger &log) {
    if (!is_written(config)) return {};
    const config::HistoryConfig &history = config.history;
    HistoryFile::Opened opened = HistoryFile::open({.folder = history.bundles_folder,
                                                    .module = std::string(module),
                                                    .node = config.node,
                                                    .records = history.bundles,
                                                    .free_bytes = history.free_space_bytes});
    if (!opened.notice.empty()) log.warn("{}", opened.notice);
    return BundleHistory(std::move(opened.file));
}

}  // namespace farlink::history
