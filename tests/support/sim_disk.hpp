// SPDX-License-Identifier: Apache-2.0
// A simulated disk: the real log on a directory in memory that loses, tears and fails writes.
// Owned by a test or a simulation; one thread, one virtual clock.
// SimDirectory survives a crash like a real disk; SimDisk is the part that ends with its node.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "common/base/random.hpp"
#include "common/base/time.hpp"
#include "common/buffer/ring.hpp"
#include "module/storage/store/directory/blocking_directory.hpp"
#include "module/storage/store/log/log_disk.hpp"
#include "tests/support/sim_faults.hpp"

namespace farlink::test {

/// A folder in memory. What was not flushed is lost, in whole or in part, at crash().
class SimDirectory final : public storage::BlockingDirectory {
public:
    using FileError = storage::FileError;

    // ---- faults that a test injects
    /// A power cut: every change that was not flushed is kept or lost by chance, and the last one
    /// may be torn at any octet. The lock is released, faults are cleared.
    void crash(std::uint64_t seed);
    /// The process is killed: the kernel keeps all writes, and releases the lock.
    void kill() {
        std::erase_if(files_, [](const auto &item) { return item.second.unpublished; });
        locked_ = false;
        flush_.reset();
    }
    /// A flush ends after this many polls, or at a wait for it.
    void set_flush_polls(std::uint32_t polls) { flush_polls_ = polls; }
    /// The process ends by itself: everything is kept, the lock is released.
    void close();
    /// Its faults.
    [[nodiscard]] SimFaults &faults() { return faults_; }
    /// Whether a failed flush loses its octets or has written them.
    void set_failed_sync_keeps(bool keeps) { failed_sync_keeps_ = keeps; }
    /// From now on files are made with the room that they will need, as on most file systems.
    void reserve_room() { reserves_ = true; }
    /// Writes fail with kNoSpace while the files hold more than this.
    void set_capacity(std::uint64_t bytes) { capacity_ = bytes; }
    [[nodiscard]] std::vector<FileNumber> files() const;
    /// The octets of a file as they are now, which a test may corrupt.
    [[nodiscard]] Bytes &content(FileNumber file) { return files_.at(file).now; }
    /// The index of a log file, which a test may corrupt; an empty one counts as missing.
    [[nodiscard]] Bytes &index(FileNumber file) { return indexes_[file].now; }
    [[nodiscard]] bool has_index(FileNumber file) const;
    [[nodiscard]] std::uint64_t syncs() const { return syncs_; }

    // ---- LogDirectory
    [[nodiscard]] Result<void, FileError> lock() override;
    [[nodiscard]] DiskId identify(DiskId fresh) override {
        if (id_ == 0) id_ = fresh;
        return id_;
    }
    [[nodiscard]] Result<std::vector<FileNumber>, FileError> list() override;
    [[nodiscard]] Result<void, FileError> create(FileNumber file,
                                                 std::uint64_t expected_bytes) override;
    [[nodiscard]] Result<void, FileError> publish(FileNumber file, std::uint64_t end) override;
    [[nodiscard]] bool rebooted() override { return rebooted_; }
    [[nodiscard]] bool reserves() override { return reserves_; }
    [[nodiscard]] Result<void, FileError> write(FileNumber file, std::uint64_t offset,
                                                std::span<const ByteView> pieces) override;
    [[nodiscard]] Result<void, FileError> sync(FileNumber file) override;
    void close_for_writing(FileNumber) override {}
    [[nodiscard]] Result<void, FileError> truncate(FileNumber file, std::uint64_t size) override;
    [[nodiscard]] Result<std::uint64_t, FileError> size(FileNumber file) override;
    [[nodiscard]] Result<std::size_t, FileError> read(FileNumber file, std::uint64_t offset,
                                                      MutableBytes out) override;
    [[nodiscard]] Result<void, FileError> remove(FileNumber file) override;
    [[nodiscard]] Result<void, FileError> write_index(FileNumber file, ByteView octets) override;
    [[nodiscard]] Result<Bytes, FileError> read_index(FileNumber file) override;
    [[nodiscard]] Result<std::vector<FileNumber>, FileError> list_indexes() override;
    [[nodiscard]] Result<void, FileError> sync_directory() override;
    void start_sync(FileNumber file) override;
    [[nodiscard]] std::optional<Result<void, FileError>> poll_sync() override;
    void wait() override;

private:
    /// A change of a file that is not flushed: octets at an offset, or a new size.
    struct Change {
        std::uint64_t offset = 0;
        Bytes octets;
        std::optional<std::uint64_t> new_size;
    };
    struct File {
        Bytes now;      ///< as a reader sees it
        Bytes durable;  ///< as it would be after a power cut that loses all changes
        std::vector<Change> changes;
        bool linked = false;          ///< it has a name now
        bool linked_durably = false;  ///< it has a name after a power cut
        bool lost_writes = false;     ///< a failed flush lost the changes; later flushes succeed
        bool unpublished = false;     ///< created, without a name until now
    };

    /// A flush in progress.
    struct Flush {
        FileNumber file = 0;
        std::size_t changes = 0;  ///< number of changes that it covers
        std::uint32_t polls = 0;
    };
    using Files = std::map<FileNumber, File>;

    static void crash(Files &files, Random &random);
    static void close(Files &files);
    [[nodiscard]] static std::vector<FileNumber> numbers_of(const Files &files);
    [[nodiscard]] Result<void, FileError> flush(FileNumber file, std::size_t changes);
    static void apply(Bytes &content, const Change &change);
    [[nodiscard]] std::uint64_t used_bytes() const;

    Files files_;
    Files indexes_;
    DiskId id_ = 0;
    bool locked_ = false;
    SimFaults faults_;
    std::uint64_t syncs_ = 0;
    bool failed_sync_keeps_ = false;
    bool reserves_ = false;
    bool rebooted_ = false;  ///< a power cut has occurred since a file was made last
    std::uint32_t flush_polls_ = 0;
    std::optional<Flush> flush_;
    std::uint64_t capacity_ = ~std::uint64_t{0};
};

/// How long the simulated disk takes for each kind of request.
struct SimDiskSpeed {
    Duration append = microseconds(50);
    Duration erase = microseconds(10);
    Duration sync = milliseconds(2);
    Duration read = microseconds(100);
    std::uint64_t bytes_per_second = 0;  ///< of appends and reads; 0: no limit
};

/// Executes requests one by one in virtual time; the counterpart of storage::DiskThread.
class SimDisk {
public:
    SimDisk(SimDirectory &directory, const storage::LogOptions &options,
            const SimDiskSpeed &speed = {})
        : disk_(directory, options), speed_(speed) {}

    [[nodiscard]] Result<storage::Recovery, storage::StoreError> open(
        const storage::RestoreSink &sink) {
        return disk_.open(sink);
    }
    void adopt_key(const SipKey &key) { disk_.adopt_key(key); }
    void submit(DiskRequestPtr request, TimePoint now);
    [[nodiscard]] DiskRequestPtr poll_completion(TimePoint now);
    /// When the next request will be complete.
    [[nodiscard]] TimePoint next_timeout() const {
        return queue_.empty() ? kNever : queue_.front().done;
    }
    [[nodiscard]] std::uint64_t file_count() const { return disk_.file_count(); }

private:
    [[nodiscard]] Duration time_for(const DiskRequest &request) const;

    struct Queued {
        DiskRequestPtr request;
        TimePoint done{};
    };
    storage::LogDisk disk_;
    SimDiskSpeed speed_;
    Ring<Queued> queue_;
    TimePoint free_at_{};
};

}  // namespace farlink::test
