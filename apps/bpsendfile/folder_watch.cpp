// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsendfile/folder_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace farlink::bpsendfile {
namespace {

constexpr std::size_t kEventBytes = 64 * 1024;

}  // namespace

FolderWatch::FolderWatch() : inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

void FolderWatch::add(const Source &folder) {
    const int watch =
        ::inotify_add_watch(inotify_.get(), folder.path.c_str(),
                            IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ONLYDIR | IN_EXCL_UNLINK);
    // Without a watch, as where there are too many, the scan finds it.
    if (watch >= 0) folders_[watch] = folder;
}

std::vector<Source> FolderWatch::take(bool &scan) {
    std::vector<Source> found;
    alignas(inotify_event) std::array<char, kEventBytes> space{};
    const ssize_t size = ::read(inotify_.get(), space.data(), space.size());
    for (ssize_t at = 0; at < size;) {
        inotify_event event{};
        std::memcpy(&event, space.data() + at, sizeof event);
        const char *const name = space.data() + at + sizeof event;
        at += static_cast<ssize_t>(sizeof event + event.len);
        if ((event.mask & (IN_Q_OVERFLOW | IN_ISDIR)) != 0) scan = true;
        if ((event.mask & IN_IGNORED) != 0) folders_.erase(event.wd);
        const auto folder = folders_.find(event.wd);
        const bool complete = (event.mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) != 0;
        if (!complete || (event.mask & IN_ISDIR) != 0 || folder == folders_.end()) continue;
        const Source &in = folder->second;
        found.push_back(
            {.path = in.path + '/' + name, .name = in.name.empty() ? name : in.name + '/' + name});
    }
    return found;
}

}  // namespace farlink::bpsendfile
