// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_files/store_change.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/farlinkctl/shared/failed.hpp"
#include "apps/farlinkctl/store_files/storage_reply.hpp"
#include "apps/farlinkctl/store_files/store_choice.hpp"
#include "apps/farlinkctl/store_files/store_print.hpp"
#include "common/base/counted.hpp"
#include "common/base/invariant.hpp"
#include "common/buffer/batch.hpp"
#include "module/storage/store/log/log_disk.hpp"

namespace farlink::ctl {
namespace {

constexpr std::uint64_t kMoveBytes = 16 * 1024 * 1024;
constexpr std::size_t kMoveBundles = 4096;
constexpr std::size_t kEraseAtOnce = 4096;

/// The log, opened in the way of a node.
class OpenLog {
public:
    explicit OpenLog(const std::string &path) : path_(path), directory_(path) {}

    Result<void, std::string> open() {
        const auto node = claim_store(path_, directory_);
        if (!node) return fail(node.error());
        if (*node == NodeNumber{}) return fail(path_ + ": contains no bundles");
        storage::LogOptions options;
        options.node = *node;
        disk_.emplace(directory_, options);
        const auto opened = disk_->open([this](const RestoredRecord &record) {
            if (!record.damaged)
                living_.push_back(
                    {record.head, record.at, static_cast<std::uint16_t>(record.label.size())});
        });
        if (!opened) return fail(path_ + ": " + std::string(to_string(opened.error())));
        return {};
    }
    /// Flushed when it returns true.
    [[nodiscard]] bool erase(std::span<const RecordNumber> records) {
        for (; !records.empty();
             records = records.subspan(std::min(kEraseAtOnce, records.size()))) {
            DiskRequest request;
            request.verb = DiskVerb::kErase;
            const auto some = records.first(std::min(kEraseAtOnce, records.size()));
            request.erased.assign(some.begin(), some.end());
            disk().execute(request);
        }
        return flush();
    }
    [[nodiscard]] bool flush() {
        DiskRequest request;
        request.verb = DiskVerb::kSync;
        disk().execute(request);
        return request.status == DiskStatus::kOk;
    }

    struct Living {
        RecordHead head;
        RecordLocation at;
        std::uint16_t label_size = 0;
        [[nodiscard]] std::uint64_t bytes() const { return record_bytes(label_size, head.size); }
    };
    /// In the order of arrival, which is the order on disk.
    [[nodiscard]] std::vector<Living> &living() { return living_; }
    [[nodiscard]] storage::LogDisk &disk() {
        FARLINK_INVARIANT(disk_);
        return *disk_;
    }

private:
    std::string path_;
    storage::PosixDirectory directory_;
    std::optional<storage::LogDisk> disk_;
    std::vector<Living> living_;
};

/// Appends copies of bundles to the log. Returns their old records, to be erased after a flush of
/// the copies; empty when the disk refuses to write, in which case nothing has changed.
std::optional<std::vector<RecordNumber>> copy(OpenLog &log, std::span<const OpenLog::Living> some) {
    std::uint64_t bytes = 0;
    for (const OpenLog::Living &living : some) bytes += living.bytes();
    Bytes memory(bytes);
    DiskRequest read;
    read.verb = DiskVerb::kRead;
    std::uint64_t used = 0;
    for (const OpenLog::Living &living : some) {
        DiskRecord &record = read.records.emplace_back();
        record.at = living.at;
        record.buffer = MutableBytes(memory).subspan(used, living.bytes());
        used += living.bytes();
    }
    log.disk().execute(read);
    DiskRequest write;
    write.verb = DiskVerb::kAppend;
    std::vector<RecordNumber> moved;
    std::vector<ByteView> slices(read.records.size());
    for (std::size_t place = 0; place < read.records.size(); ++place) {
        const DiskRecord &record = read.records[place];
        if (record.status != DiskStatus::kOk) continue;
        slices[place] = record.octets;
        DiskRecord &copied = write.records.emplace_back();
        copied.head = record.head;
        copied.label = record.label;
        copied.slices = {&slices[place], 1};
        moved.push_back(record.at.number);
    }
    if (moved.empty()) return moved;
    log.disk().execute(write);
    if (write.status != DiskStatus::kOk || !log.flush()) return std::nullopt;
    return moved;
}

std::span<const OpenLog::Living> next_group(std::span<const OpenLog::Living> left) {
    std::size_t count = 0;
    for (std::uint64_t bytes = 0; count < left.size() && count < kMoveBundles; ++count) {
        bytes += left[count].bytes();
        if (count > 0 && bytes > kMoveBytes) break;
    }
    return left.first(count);
}

}  // namespace

int delete_stored(const StorageOptions &options) {
    std::vector<RecordNumber> records;
    std::uint64_t bundles = 0;
    std::uint64_t bytes = 0;
    std::uint64_t in_custody = 0;
    {
        const auto store = StoreFiles::open(options.directory);
        if (!store) return failed(store.error());
        const auto chosen = choose(**store, options);
        if (!chosen) return failed(chosen.error());
        for (const StoredBundle *bundle : *chosen) {
            if (!options.force && (bundle->head.requests & kRequestCustody) != 0) {
                ++in_custody;
                continue;
            }
            ++bundles;
            for (const StoredBundle *record : (*store)->records_of(*bundle)) {
                bytes += record->head.size;
                records.push_back(record->at.number);
            }
        }
    }
    OpenLog log(options.directory);
    if (!records.empty()) {
        if (const auto opened = log.open(); !opened) return failed(opened.error());
        if (!log.erase(records)) return failed(options.directory + ": cannot write to the disk");
        log.disk().close();
    }
    nlohmann::ordered_json reply{
        {"deleted", bundles}, {"deletedBytes", bytes}, {"kept", 0}, {"keptInCustody", in_custody}};
    if (options.old_words) reply["dropped"] = bundles;
    if (options.json)
        print_line(reply);
    else
        print_deletion(reply);
    return kExitClean;
}

int compact_store(const StorageOptions &options) {
    OpenLog log(options.directory);
    if (const auto opened = log.open(); !opened) return failed(opened.error());
    std::ranges::sort(log.living(), {},
                      [](const OpenLog::Living &living) { return living.head.arrival; });
    const std::uint64_t files_before = log.disk().file_count();
    std::uint64_t moved = 0;
    for (std::span<const OpenLog::Living> left = log.living(); !left.empty();) {
        const auto group = next_group(left);
        left = left.subspan(group.size());
        const auto copied = copy(log, group);
        if (!copied || !log.erase(*copied))
            return failed(options.directory + ": cannot write to the disk; no bundle is lost");
        moved += copied->size();
    }
    // Old files are deleted when copies of their erasures are flushed, one turn later.
    for (int turn = 0; turn < 2; ++turn) static_cast<void>(log.flush());
    const std::uint64_t files_after = log.disk().file_count();
    log.disk().close();
    if (options.json)
        print_line({{"moved", moved}, {"filesBefore", files_before}, {"filesAfter", files_after}});
    else
        std::printf("%s moved, %s before, %llu after\n", counted(moved, "record").c_str(),
                    counted(files_before, "file").c_str(),
                    static_cast<unsigned long long>(files_after));
    return kExitClean;
}

}  // namespace farlink::ctl
