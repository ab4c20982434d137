// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/disk_thread.hpp"

#include <utility>

namespace farlink::storage {

DiskThread::DiskThread(std::string directory, const LogOptions &options,
                       std::function<void()> on_completion)
    : directory_(std::move(directory)),
      disk_(directory_, options),
      on_completion_(std::move(on_completion)) {}

DiskThread::~DiskThread() {
    {
        const std::lock_guard guard(mutex_);
        stopping_ = true;
    }
    work_.notify_one();
    if (!thread_.joinable()) return;
    thread_.join();
    disk_.close();
}

Result<Recovery, StoreError> DiskThread::open(const RestoreSink &sink) {
    auto recovery = disk_.open(sink);
    if (recovery) {
        file_count_ = disk_.file_count();
        thread_ = std::thread([this] { run(); });
    }
    return recovery;
}

void DiskThread::submit(DiskRequestPtr request) {
    {
        const std::lock_guard guard(mutex_);
        auto &queue = request->verb == DiskVerb::kRead ? reads_ : writes_;
        queue.push_back(std::move(request));
    }
    work_.notify_one();
}

DiskRequestPtr DiskThread::poll_completion() {
    if (taken_.empty()) {
        const std::lock_guard guard(mutex_);
        std::swap(taken_, completed_);
    }
    return taken_.empty() ? nullptr : taken_.pop_front();
}

void DiskThread::run() {
    Ring<DiskRequestPtr> round;
    for (;;) {
        DiskRequestPtr read;
        {
            std::unique_lock guard(mutex_);
            work_.wait(guard, [&] { return stopping_ || !writes_.empty() || !reads_.empty(); });
            if (writes_.empty() && reads_.empty()) return;
            std::swap(round, writes_);
            if (!reads_.empty()) read = reads_.pop_front();
        }
        while (!round.empty()) {
            DiskRequestPtr request = round.pop_front();
            disk_.execute(*request);
            complete(std::move(request));
        }
        if (read != nullptr) {
            disk_.execute(*read);
            complete(std::move(read));
        }
    }
}

void DiskThread::complete(DiskRequestPtr request) {
    file_count_.store(disk_.file_count(), std::memory_order_relaxed);
    bool first = false;
    {
        const std::lock_guard guard(mutex_);
        first = completed_.empty();
        completed_.push_back(std::move(request));
    }
    if (first) on_completion_();
}

}  // namespace farlink::storage
