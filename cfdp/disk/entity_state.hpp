// SPDX-License-Identifier: Apache-2.0
// What an entity keeps beside its files: requests, states of receivers, ended transactions,
// numbers. Owned by the daemon; one thread. It locks the folder, so that no other daemon writes
// there. A change is on disk when its function has returned, unless said otherwise. Errors are
// errno values; 0: done.
#pragma once

#include <string>
#include <vector>

#include "cfdp/core/transaction/receiver_state.hpp"
#include "cfdp/core/transaction/transaction.hpp"
#include "common/files/target_folder.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::cfdp {

/// Beneath the root of an entity; no file is sent from there or written to.
inline constexpr std::string_view kEntityStateFolder = ".farlink-cfdp";

class EntityState {
public:
    struct SavedPut {
        TransactionId id{};
        PutRequest request{};
    };
    struct SavedReceiver {
        TransactionId id{};
        Bytes state{};
        bool has_copy = false;
    };

    /// The error is a text for people.
    [[nodiscard]] static Result<EntityState, std::string> open(const files::TargetFolder &root);

    [[nodiscard]] int descriptor() const { return folder_.get(); }
    [[nodiscard]] static std::string part_name(const TransactionId &id);

    /// A number that no earlier transaction has had; none: it cannot be written.
    [[nodiscard]] std::optional<std::uint64_t> next_sequence();

    [[nodiscard]] int save_put(const TransactionId &id, const PutRequest &request);
    /// `flush`: it is on disk afterwards; otherwise once the file system is synced.
    [[nodiscard]] int save_receiver(const TransactionId &id, ByteView state, bool flush = true);
    struct EndedTransaction {
        TransactionId id{};
        bool delivered = false;  ///< late PDUs of it must not open it again
    };
    /// They have ended.
    [[nodiscard]] int forget(const std::vector<EndedTransaction> &ended);
    [[nodiscard]] int forget(const TransactionId &id, bool delivered) {
        return forget(std::vector{EndedTransaction{id, delivered}});
    }

    [[nodiscard]] std::vector<SavedPut> saved_puts() const;
    [[nodiscard]] std::vector<SavedReceiver> saved_receivers() const;
    [[nodiscard]] std::vector<TransactionId> ended() const;
    /// Copies without a state: of class 1, or of which nothing was saved.
    void remove_stray_copies();

private:
    explicit EntityState(FileDescriptor folder) : folder_(std::move(folder)) {}
    [[nodiscard]] int write(const std::string &name, ByteView octets, bool flush = true);
    [[nodiscard]] Bytes read(const std::string &name) const;
    [[nodiscard]] int append_ended(ByteView ids);

    FileDescriptor folder_;
    std::uint64_t next_ = 0;
    std::uint64_t reserved_ = 0;
};

}  // namespace farlink::cfdp
