// SPDX-License-Identifier: Apache-2.0
// The messages of files and of standard input, in batches.
// Owned by bpsend's main(); one thread.
// A batch has what is there: it is not waited for more once there is a message.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "apps/shared/messages/splitter.hpp"
#include "common/base/result.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::bpsend {

/// Of a batch; the last message may exceed the bytes.
struct BatchLimits {
    std::size_t messages = 512;
    std::size_t bytes = std::size_t{8} << 20;
};

class Input {
public:
    /// `stop`: a descriptor that becomes readable when no more is to be read.
    Input(std::vector<std::string> files, messages::Splitter splitter, BatchLimits limits, int stop)
        : files_(files.begin(), files.end()), splitter_(splitter), limits_(limits), stop_(stop) {}

    /// The next messages; none at the end. The error is a text for people.
    [[nodiscard]] Result<std::vector<Bytes>, std::string> next();

private:
    enum class Wait : std::uint8_t { kReadable, kNothing, kStopped };

    [[nodiscard]] std::string open_next();
    [[nodiscard]] Wait wait(bool for_long) const;
    [[nodiscard]] std::string read();
    void close();
    [[nodiscard]] bool full() const;

    std::deque<std::string> files_;
    messages::Splitter splitter_;
    BatchLimits limits_;
    int stop_;
    std::string name_;  ///< of the file that is read
    int descriptor_ = -1;
    FileDescriptor owned_;  ///< the same, unless that is standard input
    Bytes space_;
    std::vector<Bytes> batch_;
};

}  // namespace farlink::bpsend
