// SPDX-License-Identifier: Apache-2.0
// The octets of an index file: what a complete log file holds, without the bundles
// (docs/formats/storage_log.md). IndexBuilder is owned by the writer or scanner of the log file;
// one thread. What is read is never trusted: a reader returns nothing rather than a wrong value.
#pragma once

#include <optional>

#include "module/storage/store/log/file_scan.hpp"
#include "module/storage/store/log/label_table.hpp"

namespace farlink::storage {

inline constexpr std::uint32_t kIndexVersion = 1;
inline constexpr std::size_t kIndexHeaderBytes = 128;

/// Collects the index of one log file, about 25 bytes a record, and its labels.
class IndexBuilder {
public:
    void clear();
    /// The next record of the file.
    void add(const RecordHead &head, RecordLocation at, ByteView label);
    void add_erasures(std::span<const RecordNumber> erased);
    /// The octets of the index; `log_bytes` is where the last record of the file ends.
    [[nodiscard]] Bytes finish(const FileHeader &header, std::uint64_t log_bytes) const;

private:
    LabelTable labels_;
    OctetChunks records_;
    Bytes erasures_;
    std::uint32_t record_count_ = 0;
    std::uint32_t erasure_count_ = 0;
    RecordHead last_;
    RecordLocation next_;  ///< of a record that follows the last one without a gap
    RecordNumber last_erased_ = 0;
};

/// What the index says, in the form of a scan of its log file; empty when it is not an index as
/// it was written, whole and unchanged.
[[nodiscard]] std::optional<FileScan> decode_index(ByteView in);

}  // namespace farlink::storage
