// SPDX-License-Identifier: Apache-2.0
// Makes durable what was written, in a thread of its own, so that more is written meanwhile.
// Owned by the daemon, in whose thread the results arrive.
// What is requested while a sync runs shares the next one: an idle disk syncs at once, and a busy
// one in groups.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "common/runtime/file_descriptor.hpp"

namespace farlink::cfdp {

class GroupSync {
public:
    /// 0, or the error.
    using Done = std::function<void(int error)>;
    /// Calls a function in the thread of the owner.
    using Post = std::function<void(std::function<void()>)>;

    struct Task {
        bool whole = false;  ///< the file system, and so the rest as well
        FileDescriptor file{};
        std::vector<FileDescriptor> folders{};
    };

    /// `root`: a folder on the file system; it stays open.
    GroupSync(int root, Post post);
    /// Requests without a result get none.
    ~GroupSync();
    GroupSync(const GroupSync &) = delete;
    GroupSync &operator=(const GroupSync &) = delete;

    /// What was written before it is durable when `done` is called with 0.
    void request(Task task, Done done);

private:
    struct Request {
        Task task{};
        Done done{};
    };
    void run(const std::stop_token &stop);
    [[nodiscard]] int sync(const std::vector<Request> &requests) const;

    int root_;
    FileDescriptor own_;  ///< the same, since each descriptor is told of an error once
    Post post_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::vector<Request> waiting_;
    std::jthread thread_;
};

}  // namespace farlink::cfdp
