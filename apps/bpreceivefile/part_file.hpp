// SPDX-License-Identifier: Apache-2.0
// A file that is not complete, on disk: its octets in KEY.part, what is there of it in KEY.state.
// Owned by FileWriter; one thread at a time.
// Octets are on disk before the record of them, so that a cut leaves no record of octets that are
// not there. Errors are errno values; 0: done; after ENOSPC the same call may be made again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/shared/files/arriving_file.hpp"
#include "apps/shared/files/digest.hpp"
#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::bpreceivefile {

class PartFile {
public:
    [[nodiscard]] static Result<PartFile, int> make(int folder, const std::string &key,
                                                    const files::Piece &first);
    /// None: there is nothing useful.
    [[nodiscard]] static std::optional<PartFile> load(int folder, const std::string &key);
    static void remove(int folder, const std::string &key);
    [[nodiscard]] static std::string part_name(const std::string &key) { return key + ".part"; }
    [[nodiscard]] static std::string state_name(const std::string &key) { return key + ".state"; }

    /// Writes what is missing of the piece.
    [[nodiscard]] int write(const files::Piece &piece);
    [[nodiscard]] int sync_data() const;
    [[nodiscard]] int sync_state();
    /// Reads at most `most` octets that the digest has not got yet. 0 or the error.
    [[nodiscard]] int advance_digest(std::uint64_t most);
    [[nodiscard]] bool digest_complete() const { return hashed_ == file_.size(); }
    [[nodiscard]] files::Digest finish_digest() { return sha_.finish(); }
    /// Mode and time, on disk.
    [[nodiscard]] int finish_attributes() const;

    [[nodiscard]] const files::ArrivingFile &file() const { return file_; }

private:
    PartFile(files::ArrivingFile file, FileDescriptor part, FileDescriptor state,
             std::uint64_t state_bytes);

    files::ArrivingFile file_;
    FileDescriptor part_;
    FileDescriptor state_;
    std::uint64_t state_bytes_;
    Bytes records_;  ///< not in the state yet
    files::Sha256 sha_;
    std::uint64_t hashed_ = 0;
};

/// Mode and modification time.
[[nodiscard]] int set_attributes(int file, const files::Attributes &attributes);

}  // namespace farlink::bpreceivefile
