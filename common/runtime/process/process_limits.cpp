// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/process/process_limits.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "common/runtime/process/current_work.hpp"

namespace farlink {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

/// Descriptors for loops, bus and log; for each module, link and disk, and each connection over the
/// bus; and some for sessions.
constexpr std::uint64_t kDescriptors = 16;
constexpr std::uint64_t kDescriptorsOfModule = 14;
constexpr std::uint64_t kDescriptorsOfLink = 2;
constexpr std::uint64_t kDescriptorsOfDisk = 8;
constexpr std::uint64_t kDescriptorsOfConnection = 7;
constexpr std::uint64_t kDescriptorsToWorkWith = 16;

/// Address space besides that in use: the C library's reserve for threads; for each thread what
/// lies around its stack; for each disk; and for operation. The memory of `bufferBytes` is
/// allocated when needed.
constexpr std::uint64_t kAddressesOfHeap = 64 * kMiB;
constexpr std::uint64_t kAddressesAroundStack = 64 * 1024;
constexpr std::uint64_t kAddressesOfDisk = 8 * kMiB;
constexpr std::uint64_t kAddressesToWorkWith = 32 * kMiB;
/// Threads beside those of the modules and disks: two of the bus, one for its keys, one for
/// signals, and one that writes the history.
constexpr std::uint64_t kFurtherThreads = 5;

std::uint64_t soft_limit(int resource) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
    return limit.rlim_cur;
}

/// Allocates no memory. 0: not known.
std::uint64_t address_space_used() {
    const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    std::array<char, 64> text{};
    const ssize_t got = ::read(file, text.data(), text.size());
    ::close(file);
    std::uint64_t pages = 0;
    if (got > 0) (void)std::from_chars(text.data(), text.data() + got, pages);
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t stack_of_threads() {
    pthread_attr_t attributes;
    if (::pthread_getattr_default_np(&attributes) != 0) return ProcessLimits().stack_bytes;
    std::size_t bytes = 0;
    (void)::pthread_attr_getstacksize(&attributes, &bytes);
    (void)::pthread_attr_destroy(&attributes);
    return bytes;
}

// ---- the last line
// Allocates no memory, since there may be none left.

class Line {
public:
    Line &operator<<(std::string_view text) {
        const std::size_t fitting = std::min(text.size(), text_.size() - size_);
        std::copy_n(text.data(), fitting, text_.data() + size_);
        size_ += fitting;
        return *this;
    }
    Line &operator<<(std::uint64_t number) {
        std::array<char, 20> digits{};
        char *const begin = digits.data();
        const auto end = std::to_chars(begin, begin + digits.size(), number).ptr;
        return *this << std::string_view(begin, static_cast<std::size_t>(end - begin));
    }
    [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }

private:
    std::array<char, 1024> text_{};
    std::size_t size_ = 0;
};

void add_memory_limit(Line &line) {
    const std::uint64_t addresses = soft_limit(RLIMIT_AS);
    const std::uint64_t data = soft_limit(RLIMIT_DATA);
    if (addresses != kNoLimit)
        line << "the process uses " << address_space_used() / kMiB
             << " MiB of address space, and may use " << addresses / kMiB
             << " MiB (ulimit -v, or LimitAS= of the service)";
    else if (data != kNoLimit)
        line << "the process may use only " << data / kMiB
             << " MiB for data (ulimit -d, or LimitDATA= of the service)";
    else
        line << "the system has no more, or the service may use no more (MemoryMax= of the "
                "service)";
}

/// No thread could be started: for want of memory for its stack, or because there are too many.
void add_thread_limit(Line &line) {
    const std::uint64_t addresses = soft_limit(RLIMIT_AS);
    const std::uint64_t stack = stack_of_threads();
    if (addresses != kNoLimit && addresses < address_space_used() + stack + kMiB) {
        line << "its stack takes " << stack / kMiB << " MiB, ";
        return add_memory_limit(line);
    }
    line << "the limit of threads may be reached (ulimit -u, or TasksMax= of the service), or "
            "there is no memory for its stack";
}

void add_descriptor_limit(Line &line) {
    line << "the process may open only " << soft_limit(RLIMIT_NOFILE)
         << " files and sockets (ulimit -n, or LimitNOFILE= of the service)";
}

void add_reason(Line &line, std::string_view why, void (*limit)(Line &)) {
    line << why;
    const CurrentWork::Words work = CurrentWork::words();
    if (!work.doing.empty()) line << " while " << work.doing;
    if (!work.what.empty()) line << " " << work.what;
    if (limit == nullptr) return;
    line << ": ";
    limit(line);
}

/// Of the standard library, or of Asio.
bool is_thread_failure(const std::exception &error) {
    const auto *system = dynamic_cast<const std::system_error *>(&error);
    if (system != nullptr) return system->code() == std::errc::resource_unavailable_try_again;
    return std::string_view(error.what()).starts_with("thread: ");
}

// The exceptions of Asio and ZeroMQ are of other types; their texts contain that of the system.
void add_exception(Line &line, const std::exception &error) {
    const std::string_view text = error.what();
    if (is_thread_failure(error))
        add_reason(line, "cannot start a thread", add_thread_limit);
    else if (text.contains("Cannot allocate memory"))
        add_reason(line, text, add_memory_limit);
    else if (text.contains("Too many open files"))
        add_reason(line, text, add_descriptor_limit);
    else
        add_reason(line, text, nullptr);
}

[[noreturn]] void say_why() {
    Line line;
    line << "farlink: cannot continue: ";
    try {
        if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
        line << "unexpected end";
    } catch (const std::bad_alloc &) {
        add_reason(line, "out of memory", add_memory_limit);
    } catch (const std::exception &error) {
        add_exception(line, error);
    } catch (...) {
        add_reason(line, "unexpected exception", nullptr);
    }
    line << "\n";
    (void)!::write(STDERR_FILENO, line.text().data(), line.text().size());
    ::_exit(1);
}

}  // namespace

ProcessLimits take_process_limits() {
    rlimit descriptors{};
    if (::getrlimit(RLIMIT_NOFILE, &descriptors) == 0 &&
        descriptors.rlim_cur < descriptors.rlim_max) {
        descriptors.rlim_cur = descriptors.rlim_max;
        (void)::setrlimit(RLIMIT_NOFILE, &descriptors);
    }
    return {soft_limit(RLIMIT_NOFILE), soft_limit(RLIMIT_AS), address_space_used(),
            stack_of_threads()};
}

std::optional<std::string> find_shortage(const ProcessLimits &limits, const ProcessNeeds &needs) {
    const std::uint64_t descriptors =
        kDescriptors + kDescriptorsOfModule * needs.modules + kDescriptorsOfLink * needs.links +
        kDescriptorsOfDisk * needs.disks + kDescriptorsOfConnection * needs.connections +
        kDescriptorsToWorkWith;
    if (limits.descriptors < descriptors)
        return "the process may open only " + std::to_string(limits.descriptors) +
               " files and sockets; this configuration needs at least " +
               std::to_string(descriptors) + ", and one more for each session (ulimit -n, or " +
               "LimitNOFILE= of the service)";
    const std::uint64_t threads = needs.modules + needs.disks + kFurtherThreads;
    const std::uint64_t addresses = limits.address_space_used + kAddressesOfHeap +
                                    threads * (limits.stack_bytes + kAddressesAroundStack) +
                                    kAddressesOfDisk * needs.disks + needs.mapped_bytes +
                                    kAddressesToWorkWith;
    if (limits.address_space_bytes >= addresses) return std::nullopt;
    const std::string histories = needs.mapped_bytes == 0
                                      ? ""
                                      : ", of which " + std::to_string(needs.mapped_bytes / kMiB) +
                                            " MiB for the bundle history (history.bundles)";
    return "the process may use only " + std::to_string(limits.address_space_bytes / kMiB) +
           " MiB of address space; this configuration needs at least " +
           std::to_string(addresses / kMiB + 1) + " MiB" + histories +
           ", and up to `bufferBytes` more for each instance of ingress and egress (ulimit -v, or "
           "LimitAS= of the service)";
}

std::string memory_shortage() {
    Line line;
    add_memory_limit(line);
    return std::string(line.text());
}

void end_in_words() {
    std::set_terminate(say_why);
}

}  // namespace farlink
