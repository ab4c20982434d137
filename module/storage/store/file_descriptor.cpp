// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/file_descriptor.hpp"

#include <unistd.h>

#include <utility>

namespace farlink::storage {

FileDescriptor::FileDescriptor(FileDescriptor &&other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileDescriptor &FileDescriptor::operator=(FileDescriptor &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

FileDescriptor::~FileDescriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace farlink::storage
