// SPDX-License-Identifier: Apache-2.0
// A mapping of a file that its destructor ends.
// Owned by one object; any thread.
// Memory behind the end of the file must not be touched.
#pragma once

#include <cstddef>
#include <utility>

namespace farlink {

class MappedMemory {
public:
    MappedMemory() = default;
    /// Maps the first `bytes` of the file, shared; without memory for it the result is empty.
    MappedMemory(int descriptor, std::size_t bytes, bool writable);
    MappedMemory(MappedMemory &&other) noexcept
        : at_(std::exchange(other.at_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    MappedMemory &operator=(MappedMemory &&other) noexcept {
        std::swap(at_, other.at_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~MappedMemory();

    [[nodiscard]] std::byte *data() const { return at_; }
    [[nodiscard]] std::size_t size() const { return bytes_; }
    explicit operator bool() const { return at_ != nullptr; }

private:
    std::byte *at_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace farlink
