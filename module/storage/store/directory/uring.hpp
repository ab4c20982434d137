// SPDX-License-Identifier: Apache-2.0
// An io_uring: operations on files that go on in the kernel while the caller does something else.
// Owned by a UringDirectory; one thread, but wake() may be called by any.
// The client of an operation keeps its memory until the operation is handed back.
#pragma once

#include <liburing.h>

#include <memory>
#include <utility>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::storage {

/// Starts operations and gets their results.
class UringClient {
public:
    virtual ~UringClient() = default;
    /// `result`: octets, or the negative of an errno.
    virtual void handle_done(std::uint32_t operation, int result) = 0;
};

class Uring {
    struct Private {};

public:
    explicit Uring(Private) {}
    /// Empty where the kernel, or a limit of this process, does not allow it.
    [[nodiscard]] static std::unique_ptr<Uring> create();
    ~Uring();
    Uring(const Uring &) = delete;
    Uring &operator=(const Uring &) = delete;

    /// What the client names itself by in the calls below.
    [[nodiscard]] std::uint32_t add_client(UringClient &client);

    void read(int file, std::uint64_t offset, MutableBytes out, std::uint32_t client,
              std::uint32_t operation);
    void write(int file, std::uint64_t offset, ByteView octets, std::uint32_t client,
               std::uint32_t operation);
    /// fdatasync
    void sync(int file, std::uint32_t client, std::uint32_t operation);

    /// Returns completed operations; does not wait.
    void poll();
    /// Waits until something has ended, and hands it back.
    void wait();
    /// The same, but wake() ends it too.
    void wait_for_wake();
    void wake();
    /// Whether wake() was called since the last call.
    [[nodiscard]] bool take_woken() { return std::exchange(woken_, false); }

private:
    io_uring_sqe &next_entry();
    void submit(io_uring_sqe &entry, std::uint32_t client, std::uint32_t operation);
    void listen();

    io_uring ring_{};
    FileDescriptor wake_;
    std::uint64_t wakes_ = 0;  ///< where the kernel puts the count of wake_
    bool woken_ = false;
    bool listening_ = false;  ///< to wake()
    std::vector<UringClient *> clients_;
};

}  // namespace farlink::storage
