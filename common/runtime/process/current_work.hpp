// SPDX-License-Identifier: Apache-2.0
// What a thread does, so that the line of an exception that ends the process can name it.
// On the stack of its thread, one within the other.
// The texts outlive the object: an uncaught exception ends the process before any destructor runs.
#pragma once

#include <string_view>
#include <utility>

namespace farlink {

class CurrentWork {
public:
    struct Words {
        std::string_view doing;  ///< "starting module"; empty: not known
        std::string_view what;   ///< "ingress"; or empty
    };

    explicit CurrentWork(std::string_view doing, std::string_view what = {})
        : before_(std::exchange(words_, Words{doing, what})) {}
    ~CurrentWork() { words_ = before_; }
    CurrentWork(const CurrentWork &) = delete;
    CurrentWork &operator=(const CurrentWork &) = delete;

    /// Of this thread, now.
    [[nodiscard]] static Words words() { return words_; }

private:
    static inline constinit thread_local Words words_{};
    Words before_;
};

}  // namespace farlink
