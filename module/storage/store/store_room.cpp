// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/store_room.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

namespace farlink::storage {
namespace {

namespace fs = std::filesystem;

struct Room {
    std::string folder;  ///< the first on it
    std::uint64_t wanted_bytes = 0;
    std::uint64_t free_bytes = 0;
};

/// The folder itself, or the nearest above it that is there.
fs::path existing(const fs::path &folder) {
    std::error_code error;
    fs::path at = fs::absolute(folder, error);
    while (!at.empty() && at != at.root_path() && !fs::exists(at, error)) at = at.parent_path();
    return at;
}

std::uint64_t bytes_in(const fs::path &folder) {
    std::error_code error;
    std::uint64_t sum = 0;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder, error)) {
        struct stat about{};
        constexpr std::uint64_t kBlock = 512;
        if (::stat(entry.path().c_str(), &about) == 0)
            sum += static_cast<std::uint64_t>(about.st_blocks) * kBlock;
    }
    return sum;
}

std::uint64_t free_bytes_in(const struct statvfs &system) {
    return std::uint64_t{system.f_bavail} * system.f_frsize;
}

std::string in_words(std::uint64_t bytes) {
    return std::to_string(bytes / 1'000'000) + " MB";
}

}  // namespace

std::vector<std::string> review_room(const config::StorageConfig &config) {
    std::map<dev_t, Room> rooms;
    for (const config::StorageDiskConfig &disk : config.disks) {
        const fs::path at = existing(disk.directory);
        struct stat about{};
        struct statvfs system{};
        if (::stat(at.c_str(), &about) != 0 || ::statvfs(at.c_str(), &system) != 0) continue;
        Room &room = rooms[about.st_dev];
        if (room.folder.empty()) {
            room.folder = disk.directory;
            room.free_bytes = free_bytes_in(system);
        }
        room.free_bytes += bytes_in(disk.directory);
        room.wanted_bytes += disk.capacity_bytes != 0 ? disk.capacity_bytes : config.capacity_bytes;
    }
    std::vector<std::string> lines;
    for (auto &[device, room] : rooms) {
        room.wanted_bytes = std::min(room.wanted_bytes, config.capacity_bytes);
        if (room.wanted_bytes <= room.free_bytes) continue;
        lines.push_back(room.folder + ": the store may use " + in_words(room.wanted_bytes) +
                        ", but its file system has space for " + in_words(room.free_bytes) +
                        "; lower `totalStorageCapacityBytes` or `capacityBytes`");
    }
    return lines;
}

std::uint64_t free_bytes_at(const std::string &folder) {
    struct statvfs system{};
    return ::statvfs(folder.c_str(), &system) == 0 ? free_bytes_in(system) : 0;
}

}  // namespace farlink::storage
