// SPDX-License-Identifier: Apache-2.0
// Writes one growing file past the page cache: what is written is gathered to large blocks, several
// of which are on their way at once. Owned by a UringDirectory; its thread only.
// The last block of a flush is written again, with more behind it, by the next one: its old octets
// stay what they are.
#pragma once

#include <optional>

#include "module/storage/store/directory/aligned_buffers.hpp"
#include "module/storage/store/directory/log_directory.hpp"
#include "module/storage/store/directory/uring.hpp"

namespace farlink::storage {

class WriteBehind final : public UringClient {
public:
    explicit WriteBehind(Uring &ring);

    /// From now on `file` is written, from `begin` on, a multiple of kBlockBytes; `bytes` of room
    /// are reserved in it.
    void open(FileNumber file, FileDescriptor direct, std::uint64_t bytes, std::uint64_t begin);
    /// 0 when none is.
    [[nodiscard]] FileNumber file() const { return file_; }
    /// These octets follow what was written, and room is reserved for them.
    [[nodiscard]] bool continues(std::uint64_t offset, std::uint64_t bytes) const {
        return offset == end_ && bytes <= reserved_ - end_;
    }
    void write(std::span<const ByteView> pieces);
    /// Puts everything that was written under way and waits until it is in the file.
    void complete();
    /// Puts everything under way and forgets the file.
    void close();
    /// A write or a flush of the file has failed.
    [[nodiscard]] bool failed() const { return failed_.has_value(); }
    [[nodiscard]] std::uint64_t end() const { return end_; }

    /// Begins to flush what was written so far; one flush at a time.
    void start_sync();
    /// How it ended, once. Behind a failed write or flush of a file every flush of it fails.
    [[nodiscard]] std::optional<Result<void, FileError>> poll_sync();
    [[nodiscard]] bool sync_done() const { return sync_ == Sync::kDone; }

    void handle_done(std::uint32_t operation, int result) override;

private:
    enum class Sync : std::uint8_t { kNone, kWriting, kFlushing, kDone };
    struct Chunk {
        std::uint64_t begin = 0;  ///< in the file
        std::size_t bytes = 0;
        bool flying = false;
        bool covered = false;  ///< the flush waits for it
    };

    void begin_chunk(std::uint64_t offset);
    void push_chunk(std::size_t bytes);
    void push();
    void flush_when_written();
    void fail_file(int error);

    Uring &ring_;
    std::uint32_t client_;
    AlignedBuffers buffers_;
    std::vector<Chunk> chunks_;  ///< by buffer
    FileNumber file_ = 0;
    FileDescriptor direct_;
    std::uint64_t reserved_ = 0;
    std::uint64_t end_ = 0;      ///< of what was written
    std::uint64_t pushed_ = 0;   ///< up to here it is under way
    std::uint32_t current_ = 0;  ///< buffer that is being filled
    std::size_t covered_ = 0;    ///< chunks that the flush waits for
    Sync sync_ = Sync::kNone;
    std::optional<FileError> failed_;
};

/// The error that the negative of an errno stands for.
[[nodiscard]] FileError file_error_of(int error);

}  // namespace farlink::storage
