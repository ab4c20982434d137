// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/disk_thread.hpp"

#include <utility>

#include "common/runtime/process/current_work.hpp"

namespace farlink::storage {

DiskThread::DiskThread(std::unique_ptr<LogDirectory> directory, const LogOptions &options,
                       std::function<void()> on_completion)
    : directory_(std::move(directory)),
      disk_(*directory_, options),
      on_completion_(std::move(on_completion)) {}

DiskThread::~DiskThread() {
    {
        const std::lock_guard guard(mutex_);
        stopping_ = true;
    }
    directory_->wake();
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
        auto &queue = is_read(request->verb) ? reads_ : writes_;
        queue.push_back(std::move(request));
    }
    directory_->wake();
}

DiskRequestPtr DiskThread::poll_completion() {
    if (taken_.empty()) {
        const std::lock_guard guard(mutex_);
        std::swap(taken_, completed_);
    }
    return taken_.empty() ? nullptr : taken_.pop_front();
}

void DiskThread::run() {
    const CurrentWork work("running a disk of the store");
    Ring<DiskRequestPtr> round;
    for (;;) {
        const bool stopping = take(round);
        const bool idle = round.empty();
        if (idle && stopping && !disk_.busy()) return;
        while (!round.empty()) disk_.start(round.pop_front());
        bool completed = false;
        while (DiskRequestPtr done = disk_.poll()) {
            complete(std::move(done));
            completed = true;
        }
        if (idle && !completed) directory_->wait();
    }
}

/// What is to be begun now: all writes that are at hand, and one read.
bool DiskThread::take(Ring<DiskRequestPtr> &round) {
    const std::lock_guard guard(mutex_);
    std::swap(round, writes_);
    if (!reads_.empty()) round.push_back(reads_.pop_front());
    return stopping_;
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
