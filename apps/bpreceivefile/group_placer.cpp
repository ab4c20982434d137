// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceivefile/group_placer.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "apps/bpreceivefile/file_group.hpp"
#include "common/runtime/blocked_signals.hpp"

namespace farlink::bpreceivefile {
namespace {

/// More folders are synced with the file system as a whole.
constexpr std::size_t kMostFolders = 16;

}  // namespace

Result<std::unique_ptr<GroupPlacer>, std::string> GroupPlacer::open(const std::string &target,
                                                                    int temporary_folder,
                                                                    Existing existing) {
    auto opened = files::TargetFolder::open(target);
    if (!opened) return fail(opened.error());
    return std::make_unique<GroupPlacer>(std::move(*opened), temporary_folder, existing);
}

GroupPlacer::GroupPlacer(files::TargetFolder target, int temporary_folder, Existing existing)
    : target_(std::move(target)), temporary_folder_(temporary_folder), existing_(existing) {
    const BlockedSignals blocked;
    thread_ = std::jthread([this](const std::stop_token &stop) { run(stop); });
}

GroupPlacer::~GroupPlacer() {
    thread_.request_stop();
    thread_.join();
}

void GroupPlacer::start(Group group) {
    const std::lock_guard hold(mutex_);
    has_group_ = true;
    done_ = false;
    group_ = std::move(group);
    changed_.notify_all();
}

GroupPlacer::Group GroupPlacer::end() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return done_.load(); });
    has_group_ = false;
    done_ = false;
    Group group = std::move(*group_);
    group_.reset();
    return group;
}

void GroupPlacer::run(const std::stop_token &stop) {
    std::unique_lock hold(mutex_);
    // A group that was started is brought to its end.
    while (changed_.wait(hold, stop, [this] { return group_ && !done_; })) {
        hold.unlock();
        group_->error = place(*group_);
        hold.lock();
        done_ = true;
        changed_.notify_all();
    }
}

int GroupPlacer::place(Group &group) {
    if (const int error = target_.sync_all(); error != 0) return error;
    Placement placement(target_, temporary_folder_, existing_);
    std::vector<std::string> none;
    const int error = place_files(placement, group.files, group.events, none);
    const int unsynced = sync_folders(group);
    return error != 0 ? error : unsynced;
}

int GroupPlacer::sync_folders(const Group &group) {
    const auto used = target_.take_folders(kMostFolders);
    if (!used || !group.folders) return target_.sync_all();
    for (const auto *const folders : {&*used, &*group.folders})
        for (const FileDescriptor &folder : *folders)
            if (::fsync(folder.get()) != 0) return errno;
    return 0;
}

}  // namespace farlink::bpreceivefile
