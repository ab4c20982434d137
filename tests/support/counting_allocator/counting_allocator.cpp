// SPDX-License-Identifier: Apache-2.0
#include "tests/support/counting_allocator/counting_allocator.hpp"

#include <cstdlib>
#include <new>

namespace farlink::test {
namespace {

std::size_t count = 0;

void *allocate(std::size_t size, std::size_t alignment) {
    ++count;
    void *memory = std::aligned_alloc(alignment, (size / alignment + 1) * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

std::size_t allocations() {
    return count;
}

}  // namespace farlink::test

void *operator new(std::size_t size) {
    return farlink::test::allocate(size, alignof(std::max_align_t));
}
void *operator new(std::size_t size, std::align_val_t alignment) {
    return farlink::test::allocate(size, static_cast<std::size_t>(alignment));
}
void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
    ++farlink::test::count;
    return std::malloc(size);
}
void operator delete(void *memory) noexcept {
    std::free(memory);
}
void operator delete(void *memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void *memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
