// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/process/process_limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <exception>
#include <new>
#include <string_view>

namespace farlink {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

/// Descriptors for loops, bus and log; for each module, link and disk; and some for sessions.
constexpr std::uint64_t kDescriptors = 16;
constexpr std::uint64_t kDescriptorsOfModule = 14;
constexpr std::uint64_t kDescriptorsOfLink = 2;
constexpr std::uint64_t kDescriptorsOfDisk = 8;
constexpr std::uint64_t kDescriptorsToWorkWith = 16;

/// Memory for the program, its libraries and the C library's reserve; for each thread's stack; and
/// for operation. The memory of `bufferBytes` is allocated when needed.
constexpr std::uint64_t kAddresses = 96 * kMiB;
constexpr std::uint64_t kAddressesOfThread = 9 * kMiB;
constexpr std::uint64_t kAddressesToWorkWith = 32 * kMiB;

std::uint64_t soft_limit(int resource) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
    return limit.rlim_cur;
}

/// Allocates no memory, since there may be none left.
[[noreturn]] void end_because_of(std::string_view why) {
    for (const std::string_view part :
         {std::string_view("farlink: cannot continue: "), why, std::string_view("\n")})
        if (::write(STDERR_FILENO, part.data(), part.size()) < 0) break;
    ::_exit(1);
}

[[noreturn]] void say_why() {
    try {
        if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
    } catch (const std::bad_alloc &) {
        end_because_of("out of memory (ulimit -v, or a limit of the service)");
    } catch (const std::exception &error) {
        end_because_of(error.what());
    } catch (...) {
    }
    end_because_of("unexpected exception");
}

}  // namespace

ProcessLimits take_process_limits() {
    rlimit descriptors{};
    if (::getrlimit(RLIMIT_NOFILE, &descriptors) == 0 &&
        descriptors.rlim_cur < descriptors.rlim_max) {
        descriptors.rlim_cur = descriptors.rlim_max;
        (void)::setrlimit(RLIMIT_NOFILE, &descriptors);
    }
    return {soft_limit(RLIMIT_NOFILE), soft_limit(RLIMIT_AS)};
}

std::optional<std::string> find_shortage(const ProcessLimits &limits, const ProcessNeeds &needs) {
    const std::uint64_t descriptors = kDescriptors + kDescriptorsOfModule * needs.modules +
                                      kDescriptorsOfLink * needs.links +
                                      kDescriptorsOfDisk * needs.disks + kDescriptorsToWorkWith;
    if (limits.descriptors < descriptors)
        return "the process may open only " + std::to_string(limits.descriptors) +
               " files and sockets; this configuration needs at least " +
               std::to_string(descriptors) + ", and one more for each session (ulimit -n, or " +
               "LimitNOFILE= of the service)";
    const std::uint64_t addresses =
        kAddresses + kAddressesOfThread * (needs.modules + needs.disks + 3) + kAddressesToWorkWith;
    if (limits.address_space_bytes < addresses)
        return "the process may use only " + std::to_string(limits.address_space_bytes / kMiB) +
               " MiB of address space; this configuration needs at least " +
               std::to_string(addresses / kMiB) +
               " MiB, and up to `bufferBytes` more for each instance of ingress and egress (ulimit "
               "-v, or LimitAS= of the service)";
    return std::nullopt;
}

void end_in_words() {
    std::set_terminate(say_why);
}

}  // namespace farlink
