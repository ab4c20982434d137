// SPDX-License-Identifier: Apache-2.0
#include "common/history/file/mapped_memory.hpp"

#include <sys/mman.h>

namespace farlink {

MappedMemory::MappedMemory(int descriptor, std::size_t bytes, bool writable) {
    auto *const at = ::mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ,
                            MAP_SHARED, descriptor, 0);
    if (at == MAP_FAILED) return;
    at_ = static_cast<std::byte *>(at);
    bytes_ = bytes;
}

MappedMemory::~MappedMemory() {
    if (at_ != nullptr) (void)::munmap(at_, bytes_);
}

}  // namespace farlink
