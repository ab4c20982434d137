// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/directory/uring.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/invariant.hpp"

namespace farlink::storage {
namespace {

constexpr unsigned kEntries = 64;
constexpr std::uint64_t kWakeToken = ~std::uint64_t{0};

}  // namespace

std::unique_ptr<Uring> Uring::create() {
    auto made = std::make_unique<Uring>(Private{});
    if (::io_uring_queue_init(kEntries, &made->ring_, 0) != 0) {
        made->ring_.ring_fd = -1;
        return nullptr;
    }
    made->wake_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC));
    if (!made->wake_) return nullptr;
    return made;
}

Uring::~Uring() {
    // Ends what is still going on before its memory goes.
    if (ring_.ring_fd >= 0) ::io_uring_queue_exit(&ring_);
}

std::uint32_t Uring::add_client(UringClient &client) {
    clients_.push_back(&client);
    return static_cast<std::uint32_t>(clients_.size() - 1);
}

void Uring::read(int file, std::uint64_t offset, MutableBytes out, std::uint32_t client,
                 std::uint32_t operation) {
    io_uring_sqe &entry = next_entry();
    ::io_uring_prep_read(&entry, file, out.data(), static_cast<unsigned>(out.size()), offset);
    submit(entry, client, operation);
}

void Uring::write(int file, std::uint64_t offset, ByteView octets, std::uint32_t client,
                  std::uint32_t operation) {
    io_uring_sqe &entry = next_entry();
    ::io_uring_prep_write(&entry, file, octets.data(), static_cast<unsigned>(octets.size()),
                          offset);
    submit(entry, client, operation);
}

void Uring::sync(int file, std::uint32_t client, std::uint32_t operation) {
    io_uring_sqe &entry = next_entry();
    ::io_uring_prep_fsync(&entry, file, IORING_FSYNC_DATASYNC);
    submit(entry, client, operation);
}

io_uring_sqe &Uring::next_entry() {
    io_uring_sqe *entry = ::io_uring_get_sqe(&ring_);
    // Each entry is submitted at once, so the queue of them is empty.
    FARLINK_INVARIANT(entry != nullptr);
    return *entry;
}

void Uring::submit(io_uring_sqe &entry, std::uint32_t client, std::uint32_t operation) {
    entry.user_data = (std::uint64_t{client} << 32) | operation;
    int taken = 0;
    do taken = ::io_uring_submit(&ring_);
    while (taken == -EINTR || taken == -EAGAIN || taken == -EBUSY);
    FARLINK_INVARIANT(taken == 1);
}

/// By the thread that waits: the kernel takes back what a thread has asked for when that ends.
void Uring::listen() {
    if (std::exchange(listening_, true)) return;
    io_uring_sqe &entry = next_entry();
    ::io_uring_prep_read(&entry, wake_.get(), &wakes_, sizeof wakes_, 0);
    submit(entry, static_cast<std::uint32_t>(kWakeToken >> 32),
           static_cast<std::uint32_t>(kWakeToken));
}

void Uring::poll() {
    io_uring_cqe *done = nullptr;
    while (::io_uring_peek_cqe(&ring_, &done) == 0 && done != nullptr) {
        const std::uint64_t token = done->user_data;
        const int result = done->res;
        ::io_uring_cqe_seen(&ring_, done);
        if (token == kWakeToken) {
            woken_ = true;
            listening_ = false;
            continue;
        }
        clients_.at(token >> 32)->handle_done(static_cast<std::uint32_t>(token), result);
    }
}

void Uring::wait_for_wake() {
    listen();
    wait();
}

void Uring::wait() {
    io_uring_cqe *done = nullptr;
    while (::io_uring_wait_cqe(&ring_, &done) == -EINTR) {
    }
    poll();
}

void Uring::wake() {
    const std::uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof one);
}

}  // namespace farlink::storage
