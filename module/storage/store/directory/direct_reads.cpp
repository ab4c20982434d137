// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/directory/direct_reads.hpp"

#include <algorithm>
#include <cstring>

#include "module/storage/store/directory/write_behind.hpp"

namespace farlink::storage {
namespace {

constexpr std::size_t kBuffers = 8;
constexpr std::size_t kPieceBytes = 1024 * 1024;
/// With the rest of the first and the last block.
constexpr std::size_t kBufferBytes = kPieceBytes + 2 * kBlockBytes;

}  // namespace

DirectReads::DirectReads(Uring &ring)
    : ring_(ring),
      client_(ring.add_client(*this)),
      buffers_(kBuffers, kBufferBytes),
      flying_(kBuffers) {}

void DirectReads::start(int direct, std::uint64_t offset, MutableBytes out, std::uint64_t tag) {
    const std::uint32_t read = make_read(tag);
    do {
        const std::size_t size = std::min(out.size(), kPieceBytes);
        ++reads_[read].pieces;
        waiting_.push_back({read, direct, offset, out.first(size)});
        offset += size;
        out = out.subspan(size);
    } while (!out.empty());
    while (!waiting_.empty() && !buffers_.empty()) submit(buffers_.acquire());
}

std::uint32_t DirectReads::make_read(std::uint64_t tag) {
    if (free_reads_.empty()) {
        free_reads_.push_back(static_cast<std::uint32_t>(reads_.size()));
        reads_.emplace_back();
    }
    const std::uint32_t read = free_reads_.back();
    free_reads_.pop_back();
    reads_[read] = {tag, 0, 0, std::nullopt};
    return read;
}

void DirectReads::submit(std::uint32_t buffer) {
    flying_[buffer] = waiting_.pop_front();
    const Piece &piece = flying_[buffer];
    const std::uint64_t begin = block_floor(piece.offset);
    const std::uint64_t end = block_ceiling(piece.offset + piece.out.size());
    ring_.read(piece.direct, begin, buffers_[buffer].first(end - begin), client_, buffer);
}

void DirectReads::handle_done(std::uint32_t operation, int result) {
    const Piece piece = flying_[operation];
    Read &read = reads_[piece.read];
    if (result < 0) {
        read.failed = file_error_of(result);
    } else {
        // Less than was requested: the file ends there.
        const std::size_t before = piece.offset - block_floor(piece.offset);
        const auto came = static_cast<std::size_t>(result);
        const std::size_t size = std::min(came > before ? came - before : 0, piece.out.size());
        if (size > 0) std::memcpy(piece.out.data(), buffers_[operation].data() + before, size);
        read.got += size;
    }
    if (waiting_.empty())
        buffers_.release(operation);
    else
        submit(operation);
    if (--read.pieces > 0) return;
    if (read.failed)
        done_.push_back({read.tag, fail(*read.failed)});
    else
        done_.push_back({read.tag, read.got});
    free_reads_.push_back(piece.read);
}

std::optional<ReadDone> DirectReads::poll() {
    if (done_.empty()) return std::nullopt;
    return done_.pop_front();
}

}  // namespace farlink::storage
