// SPDX-License-Identifier: Apache-2.0
// Disk requests for tests of the log: payloads that name the record they belong to.
// Owned by one test.
// `Contents` is what a reader finds: payload by arrival number.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>

#include "module/storage/store/log/log_disk.hpp"
#include "tests/support/sim_disk.hpp"

namespace farlink::test {

using Contents = std::map<std::uint64_t, Bytes>;

inline Bytes payload_of(std::uint64_t arrival) {
    Bytes payload(20 + arrival * 13 % 90);
    for (std::size_t i = 0; i < payload.size(); ++i)
        payload[i] = static_cast<std::uint8_t>(arrival * 17 + i);
    return payload;
}

inline storage::LogOptions log_options(std::uint64_t segment_bytes = 64 * 1024) {
    storage::LogOptions options;
    options.node = NodeNumber{10};
    options.segment_bytes = segment_bytes;
    options.fresh_key.fill(0x77);
    return options;
}

/// An append request with the memory that it refers to.
struct AppendRequest {
    explicit AppendRequest(const std::vector<std::uint64_t> &arrivals) {
        for (const std::uint64_t arrival : arrivals) payloads.push_back(payload_of(arrival));
        // In two slices each, as bundles come from a link.
        for (const Bytes &payload : payloads) {
            slices.push_back(ByteView(payload).first(7));
            slices.push_back(ByteView(payload).subspan(7));
        }
        request->verb = DiskVerb::kAppend;
        for (std::size_t i = 0; i < arrivals.size(); ++i) {
            DiskRecord record;
            record.head.arrival = arrivals[i];
            record.head.received = 99;
            record.head.identity = {arrivals[i], 1};
            record.head.size = payloads[i].size();
            record.head.priority = Priority::kExpedited;
            record.label = as_bytes(label);
            record.slices = std::span(slices).subspan(i * 2, 2);
            request->records.push_back(record);
        }
    }
    std::string label = "to whom it goes";
    std::vector<Bytes> payloads;
    std::vector<ByteView> slices;
    DiskRequestPtr request = std::make_unique<DiskRequest>();
};

/// A log on a directory, driven request by request.
class LogDriver {
public:
    explicit LogDriver(storage::LogDirectory &directory,
                       const storage::LogOptions &options = log_options())
        : disk(directory, options) {
        opened = disk.open([&](const RestoredRecord &record) {
            if (record.damaged) return damaged.push_back(record.head.arrival);
            locations[record.head.arrival] = record.at;
            sizes[record.head.arrival] = record_bytes(record.label.size(), record.head.size);
        });
    }
    DiskStatus append(const std::vector<std::uint64_t> &arrivals) {
        AppendRequest append(arrivals);
        disk.execute(*append.request);
        for (const DiskRecord &record : append.request->records) {
            if (record.at.number == 0) continue;
            locations[record.head.arrival] = record.at;
            sizes[record.head.arrival] = record_bytes(record.label.size(), record.head.size);
        }
        return append.request->status;
    }
    DiskStatus sync() {
        DiskRequest request;
        disk.execute(request);
        return request.status;
    }
    void erase(const std::vector<std::uint64_t> &arrivals) {
        DiskRequest request;
        request.verb = DiskVerb::kErase;
        for (const std::uint64_t arrival : arrivals) {
            request.erased.push_back(locations.at(arrival).number);
            locations.erase(arrival);
        }
        disk.execute(request);
    }
    /// Arrivals of the records that stand in a file, dead ones too.
    std::set<std::uint64_t> list(FileNumber file) {
        DiskRequest request;
        request.verb = DiskVerb::kList;
        request.file = file;
        disk.execute(request);
        EXPECT_EQ(request.status, DiskStatus::kOk);
        std::set<std::uint64_t> arrivals;
        for (const DiskRecord &record : request.records) {
            arrivals.insert(record.head.arrival);
            EXPECT_EQ(storage::file_of(record.at.number), file);
            EXPECT_EQ(record.head.identity, (Hash128{record.head.arrival, 1}));
            const auto known = locations.find(record.head.arrival);
            if (known == locations.end()) continue;
            EXPECT_EQ(record.at.number, known->second.number);
            EXPECT_EQ(record.at.offset, known->second.offset);
        }
        return arrivals;
    }
    /// Reads everything that is known; what is damaged is missing.
    Contents read() {
        DiskRequest request;
        request.verb = DiskVerb::kRead;
        std::uint64_t bytes = 0;
        for (const auto &[arrival, at] : locations) bytes += sizes.at(arrival);
        Bytes memory(bytes);
        std::uint64_t place = 0;
        for (const auto &[arrival, at] : locations) {
            DiskRecord record;
            record.at = at;
            record.buffer = MutableBytes(memory).subspan(place, sizes.at(arrival));
            place += sizes.at(arrival);
            request.records.push_back(record);
        }
        disk.execute(request);
        Contents contents;
        for (const DiskRecord &record : request.records)
            if (record.status == DiskStatus::kOk)
                contents[record.head.arrival] = Bytes(record.octets.begin(), record.octets.end());
        return contents;
    }

    storage::LogDisk disk;
    Result<storage::Recovery, storage::StoreError> opened;
    std::map<std::uint64_t, RecordLocation> locations;
    std::map<std::uint64_t, std::uint64_t> sizes;
    std::vector<std::uint64_t> damaged;
};

inline Contents contents_of(const std::vector<std::uint64_t> &arrivals) {
    Contents contents;
    for (const std::uint64_t arrival : arrivals) contents[arrival] = payload_of(arrival);
    return contents;
}

}  // namespace farlink::test
