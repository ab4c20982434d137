// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/process/process_figures.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace farlink {
namespace {

// Of proc(5).
constexpr unsigned kThreads = 20;
constexpr unsigned kStartTime = 22;
constexpr unsigned kResidentPages = 24;
/// The bits of a process id.
constexpr unsigned kPidBits = 22;

std::uint64_t nanoseconds_of(const timeval &time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(time.tv_usec) * 1'000;
}

// Since Linux 6.2 the size of the folder is the number of descriptors.
std::uint64_t count_descriptors() {
    struct stat folder{};
    if (::stat("/proc/self/fd", &folder) == 0 && folder.st_size > 0)
        return static_cast<std::uint64_t>(folder.st_size);
    std::error_code error;
    std::uint64_t count = 0;
    std::filesystem::directory_iterator at("/proc/self/fd", error);
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) ++count;
    return count > 0 ? count - 1 : 0;  // without that of the folder itself
}

}  // namespace

std::uint64_t stat_field(std::string_view stat, unsigned field) {
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string_view::npos || field < 3) return 0;
    std::string_view rest = stat.substr(name_end + 1);
    for (unsigned at = 3;; ++at) {
        const std::size_t begin = rest.find_first_not_of(" \n");
        if (begin == std::string_view::npos) return 0;
        rest.remove_prefix(begin);
        const std::string_view word = rest.substr(0, rest.find_first_of(" \n"));
        if (at == field) {
            std::uint64_t value = 0;
            (void)std::from_chars(word.data(), word.data() + word.size(), value);
            return value;
        }
        rest.remove_prefix(word.size());
    }
}

std::optional<ProcessFigures> read_process_figures() {
    std::ifstream file("/proc/self/stat");
    std::string stat;
    if (!std::getline(file, stat)) return std::nullopt;
    rusage usage{};
    (void)::getrusage(RUSAGE_SELF, &usage);
    return ProcessFigures{
        .process = (stat_field(stat, kStartTime) << kPidBits) + static_cast<unsigned>(::getpid()),
        .cpu_ns = nanoseconds_of(usage.ru_utime) + nanoseconds_of(usage.ru_stime),
        .resident_bytes =
            stat_field(stat, kResidentPages) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)),
        .threads = stat_field(stat, kThreads),
        .descriptors = count_descriptors()};
}

}  // namespace farlink
