// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/process/freed_memory.hpp"

#include <malloc.h>

#include <atomic>
#include <utility>

namespace farlink {
namespace {

/// Less is used again, or does not matter.
constexpr std::uint64_t kMuch = 8 * 1024 * 1024;

std::atomic<std::uint64_t> freed_bytes{0};
std::uint64_t freed_before = 0;  ///< at the last call of return_freed_memory()

}  // namespace

void note_freed_memory(std::uint64_t bytes) {
    freed_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

bool return_freed_memory() {
    const std::uint64_t freed = freed_bytes.load(std::memory_order_relaxed);
    if (freed < kMuch || std::exchange(freed_before, freed) != freed) return false;
    freed_bytes.fetch_sub(freed, std::memory_order_relaxed);
    freed_before = 0;
    ::malloc_trim(0);
    return true;
}

}  // namespace farlink
