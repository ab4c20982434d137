// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/file_descriptor.hpp"

#include <unistd.h>

#include <utility>

namespace farlink {

FileDescriptor::FileDescriptor(FileDescriptor &&other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileDescriptor &FileDescriptor::operator=(FileDescriptor &&other) noexcept {
    FileDescriptor taken(std::move(other));
    std::swap(descriptor_, taken.descriptor_);  // `taken` closes the former one
    return *this;
}

int FileDescriptor::release() {
    return std::exchange(descriptor_, -1);
}

FileDescriptor::~FileDescriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace farlink
