// SPDX-License-Identifier: Apache-2.0
#include "tests/support/counting_allocator/counting_allocator.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace farlink::test {
namespace {

std::atomic<std::size_t> count = 0;

/// Null: there is none.
void *allocate_if_there_is(std::size_t size, std::size_t alignment) noexcept {
    count.fetch_add(1, std::memory_order_relaxed);
    return std::aligned_alloc(alignment, (size / alignment + 1) * alignment);
}

void *allocate(std::size_t size, std::size_t alignment) {
    void *memory = allocate_if_there_is(size, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

std::size_t allocations() {
    return count.load(std::memory_order_relaxed);
}

}  // namespace farlink::test

void *operator new(std::size_t size) {
    return farlink::test::allocate(size, alignof(std::max_align_t));
}
void *operator new(std::size_t size, std::align_val_t alignment) {
    return farlink::test::allocate(size, static_cast<std::size_t>(alignment));
}
void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
    return farlink::test::allocate_if_there_is(size, alignof(std::max_align_t));
}
void *operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept {
    return farlink::test::allocate_if_there_is(size, static_cast<std::size_t>(alignment));
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
