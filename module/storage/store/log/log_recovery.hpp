// SPDX-License-Identifier: Apache-2.0
// Opens a log that was left by an earlier run, or by a crash, and hands over what lives in it.
// Plain function; the thread that opens the log.
// Files are read youngest first: erasures stand behind the records that they erase.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "module/storage/store/log/file_loss.hpp"
#include "module/storage/store/log/log_files.hpp"
#include "module/storage/store/log/log_index.hpp"
#include "module/storage/store/log/log_writer.hpp"

namespace farlink::storage {

enum class StoreError : std::uint8_t {
    kLocked = 0,          ///< another node uses the directory
    kUnusable = 1,        ///< the directory cannot be made, listed or read
    kForeignNode = 2,     ///< the log belongs to a node with another number
    kUnknownVersion = 3,  ///< the log was written by a newer farlink
};
/// A sentence for the operator.
[[nodiscard]] std::string_view to_string(StoreError error);

/// Why a node does not start with a log file with this header; empty: it does.
[[nodiscard]] std::optional<StoreError> fault_of(const FileHeader &header, NodeNumber node);

struct Recovery {
    SipKey key{};       ///< the store's, for bundle identities
    DiskId disk = 0;    ///< which disk this is; 0: not known
    bool sound = true;  ///< nothing is damaged: what is not found was erased, or never flushed
    bool fresh = true;  ///< no file holds the key: the log may still adopt_key()
    FileNumber last_file = 0;
    std::uint64_t bundles = 0;       ///< handed over, intact
    std::uint64_t discarded = 0;     ///< bundles deleted instead, by LogOptions::discard
    std::uint64_t damage_count = 0;  ///< places that are torn or damaged
    std::vector<Damage> damages;     ///< the first of them, by name
    std::vector<FileLoss> losses;    ///< files that bundles were lost with, each once
    /// Files that are cut short and have no index: how many bundles were lost is not known.
    std::vector<ShortFile> short_files;
    /// Files whose header is lost, without an index: the number is not known, either.
    std::vector<FileNumber> unreadable_files;
    /// Records that were never flushed. They are erased, lest they look damaged when a younger
    /// file stands behind them at the next start.
    std::vector<RecordNumber> torn;
    std::uint64_t scanned_files = 0;       ///< read as a whole, for want of a good index
    std::vector<IndexFault> index_faults;  ///< why, for the first of them
};

using RestoreSink = std::function<void(const RestoredRecord &)>;

/// Fills `files` and calls `sink` for every bundle that was not erased. With LogOptions::discard
/// the log is empty afterwards; one that the node must not use is left as it is.
[[nodiscard]] Result<Recovery, StoreError> recover_log(LogDirectory &directory,
                                                       const LogOptions &options, LogFiles &files,
                                                       const RestoreSink &sink);

}  // namespace farlink::storage
