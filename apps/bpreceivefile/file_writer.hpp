// SPDX-License-Identifier: Apache-2.0
// ADUs to files: written first, then made durable together and given their names.
// Owned by Receiving; one thread. It locks the folder, so that no other receiver writes there.
//
//   take() ──► octets are written ──commit()──► octets on disk ──► digest right: the file has its
//                                               name, and the folder is on disk
// After kNoRoom the same call is made again once there may be room.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "apps/bpreceivefile/done_transfers.hpp"
#include "apps/bpreceivefile/event.hpp"
#include "apps/bpreceivefile/group_placer.hpp"
#include "apps/bpreceivefile/part_file.hpp"
#include "apps/bpreceivefile/placement.hpp"
#include "apps/shared/files/file_adu.hpp"
#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/files/fresh_folders.hpp"
#include "common/files/target_folder.hpp"

namespace farlink::bpreceivefile {

struct WriterOptions {
    Existing existing = Existing::kKeep;
    std::size_t most_open = 256;                      ///< files that are not complete
    std::uint64_t most_open_bytes = 0;                ///< what is there of them; 0: no limit
    std::chrono::seconds longest_age{7 * 24 * 3600};  ///< without a piece
};

enum class Step : std::uint8_t { kDone, kNoRoom, kFailed };

class FileWriter {
public:
    /// The error is a text for people.
    [[nodiscard]] static Result<FileWriter, std::string> open(const std::string &folder,
                                                              const WriterOptions &options);

    [[nodiscard]] Step take(ByteView payload);
    [[nodiscard]] Step commit();
    /// The same of many whole files in another thread, while more are taken. False: commit() does
    /// it better. end_commit() is called before the next one, and waits.
    [[nodiscard]] bool start_commit();
    [[nodiscard]] bool is_committed() const { return placer_ && placer_->is_done(); }
    /// What is left after kNoRoom is for commit().
    [[nodiscard]] Step end_commit();
    /// Removes what has waited too long for its next piece.
    void expire();

    [[nodiscard]] std::vector<Event> take_events() { return std::exchange(events_, {}); }
    [[nodiscard]] std::uint64_t repeated() const { return repeated_; }
    [[nodiscard]] std::size_t open_files() const { return parts_.size(); }
    /// After kNoRoom and kFailed, for people.
    [[nodiscard]] const std::string &trouble() const { return trouble_; }

private:
    FileWriter(files::TargetFolder target, FileDescriptor state, DoneTransfers done,
               std::unique_ptr<GroupPlacer> placer, const WriterOptions &options);
    void load_parts();
    void load_part(const std::string &key);
    /// By the wall clock.
    [[nodiscard]] std::int64_t last_piece_s(const std::string &key) const;

    [[nodiscard]] Step take_entries(const files::Entries &entries);
    [[nodiscard]] int take_entry(const files::Entry &entry);
    [[nodiscard]] int write_whole(const files::Entry &entry);
    [[nodiscard]] Step take_piece(const files::Piece &piece);
    [[nodiscard]] int take_part(const std::string &key, const files::Piece &piece);
    [[nodiscard]] std::string wrong_part(const std::string &key, const files::Piece &piece) const;

    [[nodiscard]] int sync_octets();
    [[nodiscard]] int sync_whole();
    [[nodiscard]] int finish_parts();
    [[nodiscard]] int finish_part(const std::string &key, PartFile &part);
    [[nodiscard]] int place_all();
    [[nodiscard]] int sync_names(bool many);
    void drop_part(const std::string &key);
    void drop_whole_from(std::size_t first);

    void refuse(std::string_view name, std::string wrong);
    [[nodiscard]] Step step_of(int error, std::string_view what);

    files::TargetFolder target_;
    FileDescriptor state_;
    files::FreshFolders fresh_;
    DoneTransfers done_;
    WriterOptions options_;
    std::int64_t started_s_;
    std::unordered_map<std::string, PartFile> parts_;
    std::uint64_t part_bytes_ = 0;
    std::vector<std::string> touched_;  ///< parts with pieces since the last commit
    std::vector<WholeFile> whole_;      ///< to get their names
    std::size_t whole_on_disk_ = 0;     ///< of these, the first ones
    std::vector<std::string> ended_;    ///< transfers whose files have their names
    bool new_parts_ = false;
    bool names_unsynced_ = false;  ///< of a group in which something has failed
    std::uint64_t next_whole_ = 0;
    std::uint64_t repeated_ = 0;
    std::vector<Event> events_;
    std::string trouble_;
    std::unique_ptr<GroupPlacer> placer_;  ///< none: the file system is not synced as a whole
};

}  // namespace farlink::bpreceivefile
