// SPDX-License-Identifier: Apache-2.0
// Makes a group of whole files durable and gives them their names, in a thread of its own, so that
// the next group is written meanwhile.
// Owned by FileWriter, whose thread starts and ends groups; one group at a time.
//
//   start() ──► octets on disk ──► names ──► folders on disk ──► is_done(), end()
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "apps/bpreceivefile/event.hpp"
#include "apps/bpreceivefile/placement.hpp"
#include "common/base/result.hpp"
#include "common/files/target_folder.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::bpreceivefile {

class GroupPlacer {
public:
    struct Group {
        std::vector<WholeFile> files{};
        /// With new folders in them; none: too many.
        std::optional<std::vector<FileDescriptor>> folders{};
        std::vector<Event> events{};
        int error = 0;  ///< then `files` has those without a name
    };

    /// `temporary_folder`: borrowed. The error is a text for people.
    [[nodiscard]] static Result<std::unique_ptr<GroupPlacer>, std::string> open(
        const std::string &target, int temporary_folder, Existing existing);
    GroupPlacer(files::TargetFolder target, int temporary_folder, Existing existing);
    ~GroupPlacer();
    GroupPlacer(const GroupPlacer &) = delete;
    GroupPlacer &operator=(const GroupPlacer &) = delete;

    void start(Group group);
    /// Between start() and end().
    [[nodiscard]] bool has_group() const { return has_group_; }
    [[nodiscard]] bool is_done() const { return done_; }
    /// Waits for it.
    [[nodiscard]] Group end();

private:
    void run(const std::stop_token &stop);
    [[nodiscard]] int place(Group &group);
    [[nodiscard]] int sync_folders(const Group &group);

    files::TargetFolder target_;
    int temporary_folder_;
    Existing existing_;
    bool has_group_ = false;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<Group> group_;
    std::atomic<bool> done_ = false;
    std::jthread thread_;
};

}  // namespace farlink::bpreceivefile
