// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/store_room.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>

#include "common/runtime/file_descriptor.hpp"

namespace farlink::storage {
namespace {

namespace fs = std::filesystem;

struct Room {
    std::string folder;  ///< the first on it
    std::uint64_t wanted_bytes = 0;
    std::uint64_t reserve_bytes = 0;
    std::uint64_t free_bytes = 0;
};

/// The folder itself, or the nearest above it that is there.
fs::path existing(const fs::path &folder) {
    std::error_code error;
    fs::path at = fs::absolute(folder, error);
    while (!at.empty() && at != at.root_path() && !fs::exists(at, error)) at = at.parent_path();
    return at;
}

/// Some file systems in user space do not report their size: only an attempt shows the room.
std::uint64_t free_bytes_in(const struct statvfs &system) {
    constexpr std::uint64_t kUnknown = std::uint64_t{1} << 60U;
    if (system.f_blocks == 0) return kUnknown;
    return std::uint64_t{system.f_bavail} * system.f_frsize;
}

std::string in_words(std::uint64_t bytes) {
    return std::to_string(bytes / 1'000'000) + " MB";
}

}  // namespace

std::vector<std::string> review_room(const config::StorageConfig &config,
                                     std::uint64_t reserve_bytes) {
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
        room.free_bytes += used_bytes_at(disk.directory);
        room.reserve_bytes += reserve_bytes / config.disks.size();
        room.wanted_bytes += disk.capacity_bytes != 0 ? disk.capacity_bytes : config.capacity_bytes;
    }
    std::vector<std::string> lines;
    for (auto &[device, room] : rooms) {
        room.wanted_bytes = std::min(room.wanted_bytes, config.capacity_bytes) + room.reserve_bytes;
        if (room.wanted_bytes <= room.free_bytes) continue;
        lines.push_back(room.folder + ": the store may use " + in_words(room.wanted_bytes) +
                        " with its reserve, but its file system has space for " +
                        in_words(room.free_bytes) +
                        "; lower `totalStorageCapacityBytes`, `capacityBytes` or `bufferBytes`");
    }
    return lines;
}

std::uint64_t used_bytes_at(const std::string &folder) {
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

std::uint64_t free_bytes_at(const std::string &folder) {
    struct statvfs system{};
    return ::statvfs(folder.c_str(), &system) == 0 ? free_bytes_in(system) : 0;
}

// The free space of a file system does not show the quota of a user. File systems that cannot
// reserve space are taken at their word.
bool has_room_for(const std::string &folder, std::uint64_t bytes) {
    if (free_bytes_at(folder) < bytes) return false;
    const std::string path = folder + "/room";
    const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    int error = file ? 0 : errno;
    if (file) (void)::unlink(path.c_str());
    if (file && ::fallocate(file.get(), 0, 0, static_cast<off_t>(bytes)) != 0) error = errno;
    return error != ENOSPC && error != EDQUOT && error != EFBIG;
}

}  // namespace farlink::storage
