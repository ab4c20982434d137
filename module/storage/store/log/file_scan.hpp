// SPDX-License-Identifier: Apache-2.0
// What is found in one log file when it is opened: its records, its erasures, and what is damaged.
// Made by log_scanner from the file itself, or by log_index from the index beside it.
// Plain data with one owner.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "module/storage/store/log/log_format.hpp"

namespace farlink::storage {

enum class DamageKind : std::uint8_t {
    kTorn = 0,        ///< the end of the last file: a write that was never flushed
    kHeader = 1,      ///< no record can be recognised here
    kPayload = 2,     ///< the record is known, its octets are not what was written
    kFileHeader = 3,  ///< the header of the file is lost, and without an index its records too
    kUnflushed = 4,   ///< what was read of the file could not be flushed: it may not be on disk
    kMissing = 5,     ///< the file is gone, and its index names bundles that lived in it
};
[[nodiscard]] std::string_view to_string(DamageKind kind);

struct Damage {
    DamageKind kind = DamageKind::kTorn;
    FileNumber file = 0;
    std::uint64_t offset = 0;
    RecordNumber number = 0;  ///< 0 when it is not known
};

/// "log file 21: header damaged",
/// "log file 21 at offset 4096: record payload of record 1:7 damaged".
[[nodiscard]] std::string words_of(const Damage &damage);

struct ScannedRecord {
    RecordHead head;
    RecordLocation at;
    std::uint32_t label_at = 0;  ///< in FileScan::labels
    std::uint16_t label_size = 0;
    bool damaged = false;
};

/// A record whose header is damaged: that it was there is known from the number of the next one.
struct MissingRecord {
    RecordNumber number = 0;
    std::uint64_t offset = 0;  ///< of the damaged place
    std::uint64_t bytes = 0;   ///< of the bundle; 0 when it is not known
};

struct FileScan {
    bool empty = false;   ///< its creation was cut short: it never held anything
    bool intact = false;  ///< it holds at least one good record
    FileHeader header;
    std::uint64_t bytes = 0;  ///< up to the end of the last record
    bool cut = false;         ///< it ends before its reserved room, elsewhere than behind a record
    std::vector<ScannedRecord> records;
    std::vector<RecordNumber> erasures;
    std::vector<RecordNumber> torn;  ///< known by number, never flushed
    std::vector<Damage> damages;
    std::vector<MissingRecord> missing;  ///< in ascending order
    Bytes labels;

    [[nodiscard]] ByteView label_of(const ScannedRecord &record) const {
        return ByteView(labels).subspan(record.label_at, record.label_size);
    }
};

}  // namespace farlink::storage
