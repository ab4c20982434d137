// SPDX-License-Identifier: Apache-2.0
// One disk of the store as the agent sees it: its thread, and what was logged of it last.
// Owned by StorageAgent; one thread.
// The disk itself is served by the thread of its DiskThread.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "module/storage/disk_notice.hpp"
#include "module/storage/store/directory/uring_directory.hpp"
#include "module/storage/store/disk_thread.hpp"

namespace farlink::storage {

struct StorageDisk {
    StorageDisk(const config::StorageDiskConfig &config, const LogOptions &options,
                std::function<void()> on_completion)
        : name(config.name),
          directory(config.directory),
          thread(make_directory(config.directory), options, std::move(on_completion)) {}

    std::string name;
    std::string directory;
    DiskThread thread;
    bool open = false;
    bool logged_set_aside = false;
    DiskNotice notice;
};

}  // namespace farlink::storage
