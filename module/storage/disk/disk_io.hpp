// SPDX-License-Identifier: Apache-2.0
// The narrow interface between the storage core, which decides, and a disk, which executes.
// A request is owned by the core, lent to the disk and comes back with its results filled in; one
// thread at a time. The disk only reads and writes octets: it never touches a slab's count.
//
// A disk executes appends, erasures and flushes in the order of their submission, and reads in
// theirs; reads may overtake the others, because only flushed records are read.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/siphash.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/buffer/batch.hpp"

namespace farlink {

/// A file of the log on one disk.
using FileNumber = std::uint32_t;

/// A disk of the store: its place in the configuration. Each has a log of its own.
using DiskIndex = std::uint8_t;
inline constexpr std::size_t kMaxDisks = 16;
/// Distinguishes the disks of a store, wherever they are mounted; 0: not known.
using DiskId = std::uint32_t;

/// A record of a log for ever: its file's number * 2^32 + its place in the file. 0 names none.
using RecordNumber = std::uint64_t;

struct RecordLocation {
    RecordNumber number = 0;
    std::uint64_t offset = 0;  ///< in its file, bytes; a multiple of 8
};

/// What the log keeps about a bundle beside its octets.
struct RecordHead {
    std::uint64_t arrival = 0;
    DtnTime expiry = kDtnNever;
    DtnTime received = 0;    ///< DTN time of reception: age goes on while the node is off
    Hash128 identity;        ///< under the store's key
    std::uint64_t size = 0;  ///< bytes of the bundle
    Priority priority = Priority::kNormal;
    std::uint8_t requests = 0;  ///< kReport* bits, kRequest*
};

/// Octets before the label of a record, in the log.
inline constexpr std::uint64_t kRecordHeaderBytes = 80;
inline constexpr std::uint64_t kRecordAlignment = 8;
inline constexpr std::size_t kMaxLabelBytes = 0xffff;

/// Octets that a bundle takes in the log, with header, label and padding.
[[nodiscard]] constexpr std::uint64_t record_bytes(std::uint64_t label_size, std::uint64_t size) {
    const std::uint64_t raw = kRecordHeaderBytes + label_size + size;
    return (raw + kRecordAlignment - 1) & ~(kRecordAlignment - 1);
}

enum class DiskVerb : std::uint8_t {
    kAppend = 0,  ///< write `records` behind the end of the log; safe only after a kSync
    kErase = 1,   ///< note that the records `erased` are gone
    kSync = 2,    ///< flush every append and erasure that was submitted before
    kRead = 3,    ///< read `records` into their buffers and verify them
    kList = 4,    ///< name the records of the file `file`, dead ones too
    /// Read stretches of `records`, from `from` on, into their buffers. A stretch that begins with
    /// the record is its header and label, and verified; of others `crc` goes on over their octets.
    kReadPart = 5,
};

[[nodiscard]] constexpr bool is_read(DiskVerb verb) {
    return verb == DiskVerb::kRead || verb == DiskVerb::kReadPart;
}

enum class DiskStatus : std::uint8_t {
    kOk = 0,
    kNoSpace = 1,  ///< append: nothing of it is in the log
    kIoError = 2,  ///< append: records whose `at.number` is not 0 may be in the log; erase them.
                   ///< sync: no append since the last good kSync is safe
    kDamaged = 3,  ///< read: what lies there is not the record that was written, or the record was
                   ///< erased before the read began and its file is removed
};

/// One record of a request: `in` is set by the core, `out` by the disk.
struct DiskRecord {
    RecordHead head;                      ///< append: in; read, list: out
    RecordLocation at;                    ///< append, list: out; read: in
    ByteView label;                       ///< append: in; read: out, in `buffer`
    std::span<const ByteView> slices;     ///< append: in, the bundle's octets
    MutableBytes buffer;                  ///< read: in, record_bytes() large
    ByteView octets;                      ///< read: out, the bundle in `buffer`
    std::uint64_t from = 0;               ///< read part: in, octets of the record before it
    std::uint32_t crc = 0;                ///< read part: out, that of the header says what the
                                          ///< CRC-32C of the bundle is; in and out, of others
    DiskStatus status = DiskStatus::kOk;  ///< read: out
    std::uint8_t stripe = 0;              ///< the core's, untouched: which part of its bundle
    std::uint32_t entry = 0;              ///< the core's, untouched
    std::uint32_t place = 0;              ///< the core's, untouched
};

struct DiskRequest {
    DiskVerb verb = DiskVerb::kSync;
    DiskStatus status = DiskStatus::kOk;  ///< append, sync, list: out
    bool unfinished = false;              ///< sync: out; dead files go with another one
    std::uint64_t tag = 0;                ///< the core's, untouched
    std::uint32_t file = 0;               ///< list: in
    std::uint64_t bytes = 0;              ///< list: out, of the file, up to its last record
    std::vector<DiskRecord> records;
    std::vector<RecordNumber> erased;
    SlabRef slab;  ///< keeps the buffers of `records`, if they lie in a slab of storage

    void clear() {
        verb = DiskVerb::kSync;
        status = DiskStatus::kOk;
        unfinished = false;
        tag = 0;
        file = 0;
        bytes = 0;
        records.clear();
        erased.clear();
        slab.reset();
    }
};

using DiskRequestPtr = std::unique_ptr<DiskRequest>;

/// A record found when a log is opened. The views are valid during the call that hands it over.
struct RestoredRecord {
    RecordHead head;
    RecordLocation at;
    ByteView label;
    bool damaged = false;  ///< its header can be trusted, its bundle cannot
};

}  // namespace farlink
