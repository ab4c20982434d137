// SPDX-License-Identifier: Apache-2.0
#include "cfdp/disk/group_sync.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/runtime/blocked_signals.hpp"

namespace farlink::cfdp {

GroupSync::GroupSync(int root, Post post)
    : root_(root),
      own_(::openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      post_(std::move(post)) {
    const BlockedSignals blocked;
    thread_ = std::jthread([this](const std::stop_token &stop) { run(stop); });
}

GroupSync::~GroupSync() {
    thread_.request_stop();
    thread_.join();
}

void GroupSync::request(Task task, Done done) {
    const std::lock_guard hold(mutex_);
    waiting_.push_back({std::move(task), std::move(done)});
    wake_.notify_one();
}

void GroupSync::run(const std::stop_token &stop) {
    for (;;) {
        std::vector<Request> requests;
        {
            std::unique_lock hold(mutex_);
            if (!wake_.wait(hold, stop, [this] { return !waiting_.empty(); })) return;
            requests.swap(waiting_);
        }
        const int error = sync(requests);
        // Files are closed here, not in the owner's thread.
        std::vector<Done> done;
        for (Request &each : requests) done.push_back(std::move(each.done));
        requests.clear();
        post_([error, done = std::move(done)] {
            for (const Done &each : done) each(error);
        });
    }
}

int GroupSync::sync(const std::vector<Request> &requests) const {
    if (std::ranges::any_of(requests, [](const Request &each) { return each.task.whole; }))
        return ::syncfs(own_ ? own_.get() : root_) == 0 ? 0 : errno;
    for (const Request &each : requests) {
        if (each.task.file && ::fdatasync(each.task.file.get()) != 0) return errno;
        for (const FileDescriptor &folder : each.task.folders)
            if (::fsync(folder.get()) != 0) return errno;
    }
    return 0;
}

}  // namespace farlink::cfdp
