// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM as an orderly end: the first asks for it, a second ends the program at once.
// Made once in main(), before other threads.
// A thread of its own waits for the signals.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "common/runtime/file_descriptor.hpp"

namespace farlink::messages {

class Interruption {
public:
    /// `on_first`: called once, in the thread of this object.
    explicit Interruption(std::function<void()> on_first = {});
    Interruption(const Interruption &) = delete;
    Interruption &operator=(const Interruption &) = delete;
    ~Interruption();

    [[nodiscard]] bool asked() const { return asked_.load(); }
    /// Readable once the first signal has come.
    [[nodiscard]] int descriptor() const { return asked_event_.get(); }

private:
    void wait();

    std::function<void()> on_first_;
    FileDescriptor signals_;
    FileDescriptor asked_event_;
    FileDescriptor end_event_;
    std::atomic<bool> asked_ = false;
    std::thread thread_;
};

}  // namespace farlink::messages
