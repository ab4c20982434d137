// SPDX-License-Identifier: Apache-2.0
#include "common/history/file/open_history.hpp"

#include <string>
#include <utility>

#include "common/history/file/history_file.hpp"

namespace farlink::history {
namespace {

bool is_written(const config::NodeConfig &config) {
    const bool asked_for = !config.control_socket.empty() || config.api.wanted();
    return config.history.enabled && config.history.bundles > 0 && asked_for;
}

}  // namespace

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
