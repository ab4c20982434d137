// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/store_removal.hpp"

#include <unistd.h>

#include "module/storage/store/directory/posix_directory.hpp"
#include "module/storage/store/store_reserve.hpp"

namespace farlink::storage {
namespace {

/// The log files first, then the lock, then the folder if nothing else is in it.
bool remove_folder(const std::string &folder) {
    PosixDirectory directory(folder);
    if (!directory.lock()) return false;
    for (const auto &numbers : {directory.list(), directory.list_indexes()}) {
        if (!numbers) return false;
        for (const FileNumber number : *numbers)
            if (!directory.remove(number)) return false;
    }
    if (!directory.sync_directory()) return false;
    StoreReserve(folder).give_back();
    for (const char *name : {"/doubt", "/losses", "/lock"}) (void)::unlink((folder + name).c_str());
    (void)::rmdir(folder.c_str());
    return true;
}

}  // namespace

std::vector<std::string> remove_store(const config::StorageConfig &config) {
    std::vector<std::string> failed;
    for (const config::StorageDiskConfig &disk : config.disks)
        if (!remove_folder(disk.directory))
            failed.push_back(
                "disk " + disk.name +
                ": cannot delete the files of the store (deleteOnExit): in use, or not writable");
    return failed;
}

}  // namespace farlink::storage
