// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/directory/write_behind.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/base/invariant.hpp"

namespace farlink::storage {
namespace {

constexpr std::size_t kChunks = 8;
constexpr std::size_t kChunkBytes = 1024 * 1024;
constexpr std::uint32_t kNoChunk = 0xffffffffU;
constexpr std::uint32_t kSyncOperation = 0xffffffffU;

}  // namespace

FileError file_error_of(int error) {
    const bool full = error == -ENOSPC || error == -EDQUOT || error == -EFBIG;
    return full ? FileError::kNoSpace : FileError::kIo;
}

WriteBehind::WriteBehind(Uring &ring)
    : ring_(ring),
      client_(ring.add_client(*this)),
      buffers_(kChunks, kChunkBytes),
      chunks_(kChunks),
      current_(kNoChunk) {}

void WriteBehind::open(FileNumber file, FileDescriptor direct, std::uint64_t bytes,
                       std::uint64_t begin) {
    FARLINK_INVARIANT(file_ == 0 && sync_ == Sync::kNone);
    while (!buffers_.all_free()) ring_.wait();  // of a file that was left
    file_ = file;
    direct_ = std::move(direct);
    reserved_ = bytes;
    end_ = pushed_ = begin;
    failed_.reset();
}

void WriteBehind::write(std::span<const ByteView> pieces) {
    for (ByteView piece : pieces) {
        while (!piece.empty()) {
            if (current_ == kNoChunk) begin_chunk(end_);
            const std::size_t filled = end_ - chunks_[current_].begin;
            const std::size_t some = std::min(piece.size(), kChunkBytes - filled);
            std::memcpy(buffers_[current_].data() + filled, piece.data(), some);
            end_ += some;
            piece = piece.subspan(some);
            if (filled + some == kChunkBytes) push_chunk(kChunkBytes);
        }
    }
}

void WriteBehind::begin_chunk(std::uint64_t offset) {
    while (buffers_.empty()) ring_.wait();
    current_ = buffers_.acquire();
    chunks_[current_] = {offset, 0, false, false};
}

void WriteBehind::push_chunk(std::size_t bytes) {
    Chunk &chunk = chunks_[current_];
    // The block that the chunk before has begun must not be written twice at a time.
    const auto overlaps = [&chunk](const Chunk &other) {
        return other.flying && other.begin + other.bytes > chunk.begin;
    };
    while (std::ranges::any_of(chunks_, overlaps)) ring_.wait();
    chunk.bytes = bytes;
    chunk.flying = true;
    pushed_ = end_;
    ring_.write(direct_.get(), chunk.begin, buffers_[current_].first(bytes), client_, current_);
    current_ = kNoChunk;
}

/// The block that is not full yet is written with zeros behind it, and begins the next chunk.
void WriteBehind::push() {
    if (pushed_ == end_) return;
    const std::uint32_t last = current_;
    const std::uint64_t begin = chunks_[last].begin;
    const std::size_t filled = end_ - begin;
    const std::uint64_t rest_begin = block_floor(end_);
    const MutableBytes memory = buffers_[last];
    const std::size_t bytes = block_ceiling(end_) - begin;
    std::ranges::fill(memory.subspan(filled, bytes - filled), std::uint8_t{0});
    std::array<std::uint8_t, kBlockBytes> rest;
    const ByteView kept = memory.subspan(rest_begin - begin, end_ - rest_begin);
    std::ranges::copy(kept, rest.begin());
    push_chunk(bytes);
    if (kept.empty()) return;
    begin_chunk(rest_begin);
    std::memcpy(buffers_[current_].data(), rest.data(), kept.size());
}

void WriteBehind::complete() {
    push();
    while (std::ranges::any_of(chunks_, &Chunk::flying)) ring_.wait();
}

void WriteBehind::close() {
    push();
    if (current_ != kNoChunk) buffers_.release(std::exchange(current_, kNoChunk));
    file_ = 0;
    reserved_ = end_ = pushed_ = 0;
    direct_ = FileDescriptor();
}

void WriteBehind::start_sync() {
    FARLINK_INVARIANT(sync_ == Sync::kNone);
    push();
    sync_ = Sync::kWriting;
    for (Chunk &chunk : chunks_) {
        chunk.covered = chunk.flying;
        covered_ += chunk.covered ? 1U : 0U;
    }
    flush_when_written();
}

void WriteBehind::flush_when_written() {
    if (sync_ != Sync::kWriting || covered_ > 0) return;
    sync_ = failed_ ? Sync::kDone : Sync::kFlushing;
    if (!failed_) ring_.sync(direct_.get(), client_, kSyncOperation);
}

std::optional<Result<void, FileError>> WriteBehind::poll_sync() {
    if (sync_ != Sync::kDone) return std::nullopt;
    sync_ = Sync::kNone;
    if (failed_) return Result<void, FileError>(fail(*failed_));
    return Result<void, FileError>();
}

void WriteBehind::handle_done(std::uint32_t operation, int result) {
    if (operation == kSyncOperation) {
        if (result < 0) fail_file(result);
        sync_ = Sync::kDone;
        return;
    }
    Chunk &chunk = chunks_[operation];
    // Room is reserved, so whatever was not written in full is an error of the disk.
    if (result != static_cast<int>(chunk.bytes)) fail_file(std::min(result, -EIO));
    covered_ -= chunk.covered ? 1U : 0U;
    chunk = {};
    buffers_.release(operation);
    flush_when_written();
}

void WriteBehind::fail_file(int error) {
    if (!failed_) failed_ = file_error_of(error);
}

}  // namespace farlink::storage
