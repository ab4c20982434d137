// SPDX-License-Identifier: Apache-2.0
// Reads files past the page cache, several large pieces at once.
// Owned by a UringDirectory; its thread only.
// A read is cut into pieces; each goes to an aligned buffer, and from there to where it is wanted.
#pragma once

#include <optional>

#include "common/buffer/ring.hpp"
#include "module/storage/store/directory/aligned_buffers.hpp"
#include "module/storage/store/directory/log_directory.hpp"
#include "module/storage/store/directory/uring.hpp"

namespace farlink::storage {

class DirectReads final : public UringClient {
public:
    explicit DirectReads(Uring &ring);

    /// `direct` stays open until the read has ended.
    void start(int direct, std::uint64_t offset, MutableBytes out, std::uint64_t tag);
    [[nodiscard]] std::optional<ReadDone> poll();
    /// No read goes on or waits for a buffer.
    [[nodiscard]] bool idle() const { return buffers_.all_free() && waiting_.empty(); }
    [[nodiscard]] bool done() const { return !done_.empty(); }

    void handle_done(std::uint32_t operation, int result) override;

private:
    /// A read as it was requested.
    struct Read {
        std::uint64_t tag = 0;
        std::size_t got = 0;
        std::size_t pieces = 0;  ///< that have not ended
        std::optional<FileError> failed;
    };
    struct Piece {
        std::uint32_t read = 0;
        int direct = -1;
        std::uint64_t offset = 0;
        MutableBytes out;
    };

    void submit(std::uint32_t buffer);
    [[nodiscard]] std::uint32_t make_read(std::uint64_t tag);

    Uring &ring_;
    std::uint32_t client_;
    AlignedBuffers buffers_;
    std::vector<Piece> flying_;  ///< by buffer
    Ring<Piece> waiting_;
    std::vector<Read> reads_;
    std::vector<std::uint32_t> free_reads_;
    Ring<ReadDone> done_;
};

}  // namespace farlink::storage
