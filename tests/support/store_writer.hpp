// SPDX-License-Identifier: Apache-2.0
// Writes the log of one disk of a store record by record, as node 10 does.
// Owned by a test; its thread only.
// A request that the disk does not execute fails the test.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "module/storage/core/index/endpoint_label.hpp"
#include "module/storage/store/directory/posix_directory.hpp"
#include "module/storage/store/log/log_disk.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::test {

class StoreWriter {
public:
    explicit StoreWriter(const std::string &folder)
        : directory_(folder), disk_(directory_, options()) {
        EXPECT_TRUE(disk_.open([](const RestoredRecord &) {}));
    }

    [[nodiscard]] static Bytes label_of(const bp::EidView &endpoint) {
        Bytes label;
        storage::encode_label(endpoint, label);
        return label;
    }
    /// The size in `head` is that of the octets.
    RecordNumber append(RecordHead head, ByteView label, ByteView octets) {
        head.size = octets.size();
        DiskRequest request;
        request.verb = DiskVerb::kAppend;
        DiskRecord &record = request.records.emplace_back();
        record.head = head;
        record.label = label;
        record.slices = {&octets, 1};
        disk_.execute(request);
        EXPECT_EQ(request.status, DiskStatus::kOk);
        return record.at.number;
    }
    RecordNumber append(const RecordHead &head, const TestBundle &bundle) {
        return append(head, label_of(bundle.to), bundle.octets());
    }
    /// Notes that these are gone, and flushes everything.
    void sync(std::vector<RecordNumber> erased = {}) {
        DiskRequest erasure;
        erasure.verb = DiskVerb::kErase;
        erasure.erased = std::move(erased);
        disk_.execute(erasure);
        DiskRequest sync;
        disk_.execute(sync);
        EXPECT_EQ(sync.status, DiskStatus::kOk);
    }
    void close() { disk_.close(); }

private:
    static storage::LogOptions options() {
        storage::LogOptions options;
        options.node = NodeNumber{10};
        options.segment_bytes = 64 * 1024;
        options.fresh_key.fill(7);
        return options;
    }

    storage::PosixDirectory directory_;
    storage::LogDisk disk_;
};

}  // namespace farlink::test
