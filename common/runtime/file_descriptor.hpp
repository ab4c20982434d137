// SPDX-License-Identifier: Apache-2.0
// A file descriptor that its destructor closes.
// Owned by one object; any thread.
// Negative: none.
#pragma once

namespace farlink {

class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
    FileDescriptor(FileDescriptor &&other) noexcept;
    FileDescriptor &operator=(FileDescriptor &&other) noexcept;
    ~FileDescriptor();
    [[nodiscard]] int get() const { return descriptor_; }
    /// Returns the descriptor, which the caller then closes.
    [[nodiscard]] int release();
    explicit operator bool() const { return descriptor_ >= 0; }

private:
    int descriptor_ = -1;
};

}  // namespace farlink
