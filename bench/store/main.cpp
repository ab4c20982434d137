// SPDX-License-Identifier: Apache-2.0
// The rates of the disks for storage, without a node: records are appended and flushed in groups,
// and read back past the page cache; and the time to open a log of many small records.
//   store write DIRECTORIES BYTES SECONDS [posix]   e.g. store write /a,/b 100000 5
//   store open DIRECTORY RECORDS                    writes that many records, opens them again
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <semaphore>
#include <string>

#include "common/base/random.hpp"
#include "common/runtime/clock.hpp"
#include "module/storage/store/directory/uring_directory.hpp"
#include "module/storage/store/disk_thread.hpp"

namespace {

using namespace farlink;
using storage::DiskThread;

constexpr std::uint64_t kBatchBytes = 256 * 1024;
constexpr std::size_t kBatchRecords = 1024;
constexpr std::uint64_t kReadBytes = 1024 * 1024;
constexpr std::size_t kBatchesAhead = 64;  // at each disk
constexpr std::size_t kReadsAhead = 12;
constexpr std::string_view kLabel = "seventeen octets.";

double seconds_of(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}
double cpu_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto of = [](const timeval &time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return of(usage.ru_utime) + of(usage.ru_stime);
}

std::unique_ptr<storage::LogDirectory> directory_at(const std::string &path, bool posix) {
    if (posix) return std::make_unique<storage::PosixDirectory>(path);
    return storage::make_directory(path);
}

/// One disk under load.
class Disk {
public:
    Disk(const std::string &path, bool posix, std::counting_semaphore<> &woken)
        : thread_(directory_at(path, posix), options(), [&woken] { woken.release(); }) {
        FARLINK_INVARIANT(thread_.open([](const RestoredRecord &) {}).has_value());
    }
    static storage::LogOptions options() {
        storage::LogOptions options;
        options.node = NodeNumber{10};
        options.fresh_key.fill(7);
        return options;
    }

    /// Keeps appends and a flush in progress at the disk; polls completed requests.
    void write(std::span<const ByteView> bundle, std::uint64_t size, bool more) {
        while (DiskRequestPtr done = thread_.poll_completion()) take(std::move(done));
        while (more && appends_ < kBatchesAhead) submit_append(bundle, size);
        if (!flushing_ && unflushed_ > 0) {
            flushing_ = true;
            covered_ = std::exchange(unflushed_, 0);
            DiskRequestPtr sync = acquire(DiskVerb::kSync);
            thread_.submit(std::move(sync));
        }
    }
    /// False when all records have been read.
    bool read() {
        while (DiskRequestPtr done = thread_.poll_completion()) take(std::move(done));
        while (reads_ < kReadsAhead && next_ < places_.size()) submit_read();
        return reads_ > 0 || next_ < places_.size();
    }
    [[nodiscard]] bool quiet() const { return appends_ == 0 && !flushing_ && unflushed_ == 0; }

    std::uint64_t safe_bytes = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t flushes = 0;
    std::uint64_t faults = 0;

private:
    struct Place {
        RecordLocation at;
        std::uint64_t size = 0;
    };
    DiskRequestPtr acquire(DiskVerb verb) {
        DiskRequestPtr request =
            spare_.empty() ? std::make_unique<DiskRequest>() : spare_.pop_front();
        request->clear();
        request->verb = verb;
        return request;
    }
    void submit_append(std::span<const ByteView> bundle, std::uint64_t size) {
        DiskRequestPtr request = acquire(DiskVerb::kAppend);
        std::uint64_t bytes = 0;
        while (request->records.size() < kBatchRecords &&
               (bytes == 0 || bytes + size <= kBatchBytes)) {
            DiskRecord &record = request->records.emplace_back();
            record.head.arrival = ++arrivals_;
            record.head.received = 800'000'000'000;
            record.head.expiry = 800'003'600'000;
            record.head.identity = {arrivals_ * 0x9e3779b97f4a7c15U, arrivals_};
            record.head.size = size;
            record.label = as_bytes(kLabel);
            record.slices = bundle;
            bytes += size;
        }
        ++appends_;
        thread_.submit(std::move(request));
    }
    void submit_read() {
        DiskRequestPtr request = acquire(DiskVerb::kRead);
        if (memory_.empty()) memory_.resize(kReadsAhead);
        while (used_[place_]) place_ = (place_ + 1) % kReadsAhead;
        used_[place_] = true;
        request->tag = place_;
        Bytes &memory = memory_[place_];
        memory.resize(kReadBytes + 200'000);
        std::uint64_t bytes = 0;
        while (next_ < places_.size() && request->records.size() < kBatchRecords) {
            const Place &place = places_[next_];
            const std::uint64_t whole = record_bytes(kLabel.size(), place.size);
            if (bytes > 0 && bytes + whole > kReadBytes) break;
            DiskRecord &record = request->records.emplace_back();
            record.at = place.at;
            record.buffer = MutableBytes(memory).subspan(bytes, whole);
            bytes += whole;
            ++next_;
        }
        ++reads_;
        thread_.submit(std::move(request));
    }
    void take(DiskRequestPtr done) {
        if (done->status != DiskStatus::kOk) ++faults;
        switch (done->verb) {
            case DiskVerb::kAppend:
                --appends_;
                for (const DiskRecord &record : done->records) {
                    places_.push_back({record.at, record.head.size});
                    unflushed_ += record.head.size;
                }
                break;
            case DiskVerb::kSync:
                flushing_ = false;
                safe_bytes += std::exchange(covered_, 0);
                ++flushes;
                break;
            case DiskVerb::kRead:
                --reads_;
                used_[done->tag] = false;
                for (const DiskRecord &record : done->records) {
                    read_bytes += record.octets.size();
                    if (record.status != DiskStatus::kOk) ++faults;
                }
                break;
            default:
                break;
        }
        spare_.push_back(std::move(done));
    }

    DiskThread thread_;
    Ring<DiskRequestPtr> spare_;
    std::vector<Place> places_;
    std::vector<Bytes> memory_;
    std::array<bool, kReadsAhead> used_{};
    std::size_t place_ = 0;
    std::size_t next_ = 0;
    std::size_t appends_ = 0;
    std::size_t reads_ = 0;
    std::uint64_t arrivals_ = 0;
    std::uint64_t unflushed_ = 0;
    std::uint64_t covered_ = 0;
    bool flushing_ = false;
};

void print(const char *what, const std::vector<std::unique_ptr<Disk>> &disks, std::uint64_t bytes,
           std::uint64_t size, double seconds, double cpu) {
    std::uint64_t faults = 0;
    std::uint64_t flushes = 0;
    for (const auto &disk : disks) {
        faults += disk->faults;
        flushes += disk->flushes;
    }
    const auto total = static_cast<double>(bytes);
    std::printf(
        "{\"what\": \"%s\", \"bytes_per_second\": %.0f, \"records_per_second\": %.0f, "
        "\"cpu_s_per_GB\": %.3f, \"flushes\": %llu, \"faults\": %llu}\n",
        what, total / seconds, total / static_cast<double>(size) / seconds, cpu / (total / 1e9),
        static_cast<unsigned long long>(flushes), static_cast<unsigned long long>(faults));
}

int write_and_read(const std::string &paths, std::uint64_t size, double limit_s, bool posix) {
    std::counting_semaphore<> woken{0};
    std::vector<std::unique_ptr<Disk>> disks;
    for (std::size_t begin = 0; begin <= paths.size();) {
        const std::size_t end = std::min(paths.find(',', begin), paths.size());
        disks.push_back(std::make_unique<Disk>(paths.substr(begin, end - begin), posix, woken));
        begin = end + 1;
    }
    Bytes octets(size);
    Random random(1);
    for (std::uint8_t &octet : octets) octet = static_cast<std::uint8_t>(random.next());
    const std::array<ByteView, 2> bundle{ByteView(octets).first(size / 10),
                                         ByteView(octets).subspan(size / 10)};
    const TimePoint begin = monotonic_now();
    const double cpu_before = cpu_seconds();
    const auto more = [&] { return seconds_of(monotonic_now() - begin) < limit_s; };
    bool quiet = false;
    while (!quiet) {
        quiet = true;
        for (const auto &disk : disks) {
            disk->write(bundle, size, more());
            quiet = quiet && disk->quiet();
        }
        if (!quiet) woken.acquire();
    }
    std::uint64_t bytes = 0;
    for (const auto &disk : disks) bytes += disk->safe_bytes;
    print("write", disks, bytes, size, seconds_of(monotonic_now() - begin),
          cpu_seconds() - cpu_before);

    const TimePoint read_begin = monotonic_now();
    const double read_cpu = cpu_seconds();
    bool busy = true;
    while (busy) {
        busy = false;
        for (const auto &disk : disks) busy = disk->read() || busy;
        if (busy) woken.acquire();
    }
    bytes = 0;
    for (const auto &disk : disks) bytes += disk->read_bytes;
    print("read", disks, bytes, size, seconds_of(monotonic_now() - read_begin),
          cpu_seconds() - read_cpu);
    return 0;
}

int open_again(const std::string &path, std::uint64_t records) {
    {
        const auto directory = storage::make_directory(path);
        storage::LogDisk disk(*directory, Disk::options());
        FARLINK_INVARIANT(disk.open([](const RestoredRecord &) {}).has_value());
        const Bytes octets(100);
        const std::array<ByteView, 1> bundle{ByteView(octets)};
        DiskRequest request;
        for (std::uint64_t arrival = 0; arrival < records;) {
            request.clear();
            request.verb = DiskVerb::kAppend;
            for (std::size_t i = 0; i < kBatchRecords && arrival < records; ++i) {
                DiskRecord &record = request.records.emplace_back();
                record.head.arrival = ++arrival;
                record.head.received = 800'000'000'000 + arrival / 500;
                record.head.expiry = record.head.received + 3'600'000;
                record.head.identity = {arrival * 0x9e3779b97f4a7c15U, arrival};
                record.head.size = octets.size();
                record.label = as_bytes(kLabel);
                record.slices = bundle;
            }
            disk.execute(request);
            FARLINK_INVARIANT(request.status == DiskStatus::kOk);
        }
        disk.close();
    }
    const auto directory = storage::make_directory(path);
    storage::LogDisk disk(*directory, Disk::options());
    const TimePoint begin = monotonic_now();
    std::uint64_t sum = 0;
    const auto recovery =
        disk.open([&](const RestoredRecord &found) { sum += found.head.arrival; });
    const double took = seconds_of(monotonic_now() - begin);
    FARLINK_INVARIANT(recovery.has_value());
    std::printf(
        "{\"what\": \"open\", \"records\": %llu, \"scanned_files\": %llu, "
        "\"seconds\": %.3f, \"sum\": %llu}\n",
        static_cast<unsigned long long>(recovery->bundles),
        static_cast<unsigned long long>(recovery->scanned_files), took,
        static_cast<unsigned long long>(sum));
    return 0;
}

}  // namespace

int main(int argc, char **argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "write" && argc >= 5)
        return write_and_read(argv[2], std::strtoull(argv[3], nullptr, 10),
                              std::strtod(argv[4], nullptr), argc > 5);
    if (what == "open" && argc == 4)
        return open_again(argv[2], std::strtoull(argv[3], nullptr, 10));
    std::fputs(
        "usage: store write DIRECTORIES BYTES SECONDS [posix] | store open DIRECTORY RECORDS\n",
        stderr);
    return 2;
}
