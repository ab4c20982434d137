// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/directory/uring_directory.hpp"

#include <utility>

namespace farlink::storage {
namespace {

constexpr std::size_t kMaxDirectFiles = 64;

std::uint64_t bytes_of(std::span<const ByteView> pieces) {
    std::uint64_t bytes = 0;
    for (const ByteView piece : pieces) bytes += piece.size();
    return bytes;
}

}  // namespace

std::unique_ptr<UringDirectory> UringDirectory::make(const std::string &path) {
    auto ring = Uring::create();
    if (ring == nullptr) return nullptr;
    return std::make_unique<UringDirectory>(Private{}, path, std::move(ring));
}

std::unique_ptr<LogDirectory> make_directory(const std::string &path) {
    if (auto directory = UringDirectory::make(path)) return directory;
    return std::make_unique<PosixDirectory>(path);
}

UringDirectory::UringDirectory(Private, const std::string &path, std::unique_ptr<Uring> ring)
    : folder_(path), ring_(std::move(ring)), writes_(*ring_), reads_(*ring_) {}

/// The kernel may still be writing from and reading into this memory.
UringDirectory::~UringDirectory() {
    writes_.complete();
    while (!reads_.idle()) ring_->wait();
}

Result<void, FileError> UringDirectory::create(FileNumber file, std::uint64_t expected_bytes) {
    return folder_.create(file, block_ceiling(expected_bytes));
}

/// What was written until now is in the page cache, where it outlives the process.
Result<void, FileError> UringDirectory::publish(FileNumber file, std::uint64_t end) {
    if (const auto published = folder_.publish(file, end); !published) return published;
    // Only into reserved room: a full disk must show when octets are written, not afterwards.
    const std::uint64_t reserved = folder_.size(file).value_or(0);
    if (writes_.file() != 0 || reserved <= end || block_floor(end) != end ||
        block_floor(reserved) != reserved)
        return {};
    if (FileDescriptor direct = folder_.open_direct(file, true))
        writes_.open(file, std::move(direct), reserved, end);
    return {};
}

Result<void, FileError> UringDirectory::write(FileNumber file, std::uint64_t offset,
                                              std::span<const ByteView> pieces) {
    if (file == writes_.file()) {
        if (writes_.continues(offset, bytes_of(pieces))) {
            writes_.write(pieces);
            return {};
        }
        if (!leave_to_folder()) return fail(FileError::kIo);
    }
    return folder_.write(file, offset, pieces);
}

/// For writes elsewhere than at the end, or beyond the reserved room; false when a write of the
/// file has failed, since no later call would report that.
bool UringDirectory::leave_to_folder() {
    writes_.complete();
    const bool good = !writes_.failed();
    writes_.close();
    return good;
}

void UringDirectory::complete(FileNumber file) {
    if (file == writes_.file()) writes_.complete();
}

Result<void, FileError> UringDirectory::sync(FileNumber file) {
    if (file != writes_.file()) return folder_.sync(file);
    writes_.start_sync();
    for (;;) {
        if (const auto done = writes_.poll_sync()) return *done;
        ring_->wait();
    }
}

void UringDirectory::close_for_writing(FileNumber file) {
    if (file == writes_.file()) {
        writes_.complete();
        writes_.close();
    }
    folder_.close_for_writing(file);
}

Result<void, FileError> UringDirectory::truncate(FileNumber file, std::uint64_t size) {
    complete(file);
    if (file == writes_.file() && size != writes_.end() && !leave_to_folder())
        return fail(FileError::kIo);
    return folder_.truncate(file, size);
}

Result<std::uint64_t, FileError> UringDirectory::size(FileNumber file) {
    complete(file);
    return folder_.size(file);
}

Result<std::size_t, FileError> UringDirectory::read(FileNumber file, std::uint64_t offset,
                                                    MutableBytes out) {
    complete(file);
    return folder_.read(file, offset, out);
}

Result<void, FileError> UringDirectory::remove(FileNumber file) {
    if (file == writes_.file()) writes_.close();
    direct_.erase(file);
    return folder_.remove(file);
}

void UringDirectory::start_sync(FileNumber file) {
    if (file == writes_.file())
        writes_.start_sync();
    else
        folder_.start_sync(file);
}

std::optional<Result<void, FileError>> UringDirectory::poll_sync() {
    ring_->poll();
    if (auto done = writes_.poll_sync()) return done;
    return folder_.poll_sync();
}

void UringDirectory::start_read(FileNumber file, std::uint64_t offset, MutableBytes out,
                                std::uint64_t tag) {
    complete(file);
    const int direct = direct_of(file);
    if (direct < 0)
        folder_.start_read(file, offset, out, tag);
    else
        reads_.start(direct, offset, out, tag);
}

int UringDirectory::direct_of(FileNumber file) {
    if (const auto found = direct_.find(file); found != direct_.end()) return found->second.get();
    // Reads that wait for a buffer name their file by its descriptor.
    if (direct_.size() >= kMaxDirectFiles) {
        while (!reads_.idle()) ring_->wait();
        direct_.clear();
    }
    return (direct_[file] = folder_.open_direct(file, false)).get();
}

std::optional<ReadDone> UringDirectory::poll_read() {
    ring_->poll();
    if (auto done = reads_.poll()) return done;
    return folder_.poll_read();
}

void UringDirectory::wait() {
    if (!ring_->take_woken() && !reads_.done() && !writes_.sync_done()) ring_->wait_for_wake();
    (void)ring_->take_woken();
}

}  // namespace farlink::storage
