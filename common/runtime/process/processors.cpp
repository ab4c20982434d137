// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/process/processors.hpp"

#include <pthread.h>
#include <sched.h>

#include <memory>

namespace farlink {
namespace {

/// Machines may have more processors than fit into `cpu_set_t`.
constexpr int kMostProcessors = 1 << 16;

struct Free {
    void operator()(cpu_set_t *set) const { CPU_FREE(set); }
};
using ProcessorSet = std::unique_ptr<cpu_set_t, Free>;

ProcessorSet empty_set() {
    ProcessorSet set(CPU_ALLOC(kMostProcessors));
    CPU_ZERO_S(CPU_ALLOC_SIZE(kMostProcessors), set.get());
    return set;
}

}  // namespace

bool has_processor(std::uint32_t processor) {
    constexpr std::size_t kBytes = CPU_ALLOC_SIZE(kMostProcessors);
    const ProcessorSet allowed = empty_set();
    return processor < kMostProcessors && ::sched_getaffinity(0, kBytes, allowed.get()) == 0 &&
           CPU_ISSET_S(processor, kBytes, allowed.get());
}

bool run_on_processor(std::uint32_t processor) {
    constexpr std::size_t kBytes = CPU_ALLOC_SIZE(kMostProcessors);
    if (processor >= kMostProcessors) return false;
    const ProcessorSet only = empty_set();
    CPU_SET_S(processor, kBytes, only.get());
    return ::pthread_setaffinity_np(::pthread_self(), kBytes, only.get()) == 0;
}

}  // namespace farlink
