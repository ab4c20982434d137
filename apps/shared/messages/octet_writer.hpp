// SPDX-License-Identifier: Apache-2.0
// Octets to a file descriptor, small ones together.
// Owned by an output; one thread. The descriptor is borrowed.
// Errors are texts for people; after one, each call fails with it.
#pragma once

#include <string>
#include <string_view>

#include "common/base/bytes.hpp"

namespace farlink::messages {

class OctetWriter {
public:
    /// `name`: of the output, for errors.
    OctetWriter(int descriptor, std::string name)
        : descriptor_(descriptor), name_(std::move(name)) {}

    /// The error; empty: it is written, or kept until flush().
    [[nodiscard]] std::string write(ByteView octets);
    [[nodiscard]] std::string write(std::string_view text) { return write(as_bytes(text)); }
    /// Hands everything to the kernel.
    [[nodiscard]] std::string flush();

private:
    void write_through(ByteView octets);

    int descriptor_;
    std::string name_;
    Bytes kept_;
    std::string error_;
};

/// "no space left on device", of errno.
[[nodiscard]] std::string reason_of(int error);

}  // namespace farlink::messages
