// SPDX-License-Identifier: Apache-2.0
// What an entity keeps beside its files: requests, states of receivers, ended transactions,
// numbers. Owned by the daemon; one thread. It locks the folder, so that no other daemon writes
// there. What is saved and forgotten is on disk once the state is synced, in that order. Errors are
// errno values; 0: done.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cfdp/core/transaction/receiver_state.hpp"
#include "cfdp/core/transaction/transaction.hpp"
#include "cfdp/disk/state_journal.hpp"
#include "common/files/fresh_folders.hpp"
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

    /// A number that no earlier transaction has had, on disk; none: it cannot be written.
    [[nodiscard]] std::optional<std::uint64_t> next_sequence();

    [[nodiscard]] int save_put(const TransactionId &id, const PutRequest &request);
    [[nodiscard]] int save_receiver(const TransactionId &id, ByteView state);
    struct EndedTransaction {
        TransactionId id{};
        bool delivered = false;  ///< late PDUs of it must not open it again
    };
    /// They have ended.
    [[nodiscard]] int forget(const std::vector<EndedTransaction> &ended);
    [[nodiscard]] int forget(const TransactionId &id, bool delivered) {
        return forget(std::vector{EndedTransaction{id, delivered}});
    }
    /// The name, in descriptor(), for a new copy of what arrives.
    [[nodiscard]] Result<std::string, int> name_copy(const TransactionId &id);
    /// Empty: there is no copy.
    [[nodiscard]] std::string copy_name(const TransactionId &id) const;
    /// The copy has got another name.
    void release_copy(const TransactionId &id) { copies_.erase(id); }
    /// The copy is of no use. It is removed once the end of its transaction is on disk: a state
    /// without a copy is one whose file has got its name.
    void discard_copy(const TransactionId &id);
    /// The name of a copy is on disk. Syncs of the whole file system do so as well.
    [[nodiscard]] int flush_copy_name(const std::string &name) const;

    /// Something was saved or forgotten since the last sync has begun.
    [[nodiscard]] bool is_unsynced() const { return unsynced_; }
    /// A sync by another thread.
    struct Unsynced {
        FileDescriptor file{};  ///< to be flushed
        std::vector<std::string> discarded{};
    };
    [[nodiscard]] Unsynced begin_sync();
    /// `discarded`: of begin_sync(). 0: the file is flushed.
    void end_sync(const std::vector<std::string> &discarded, int error);
    [[nodiscard]] int sync();

    [[nodiscard]] std::vector<SavedPut> saved_puts() const;
    [[nodiscard]] std::vector<SavedReceiver> saved_receivers() const;
    [[nodiscard]] const EndedNumbers &delivered() const { return journal_.delivered(); }
    /// Copies without a state: of class 1, or of which nothing was saved.
    void remove_stray_copies();

private:
    EntityState(FileDescriptor folder, StateJournal journal);
    [[nodiscard]] int write(const std::string &name, ByteView octets);
    [[nodiscard]] Bytes read(const std::string &name) const;
    [[nodiscard]] int import_files();
    [[nodiscard]] int import_file(const std::string &name);
    void find_copies();
    void remove_copy(const std::string &name) const;

    FileDescriptor folder_;
    StateJournal journal_;
    files::FreshFolders fresh_;
    std::map<TransactionId, std::string> copies_;
    std::vector<std::string> discarded_;  ///< copies that are removed after the next sync
    bool unsynced_ = false;
    std::uint64_t next_ = 0;
    std::uint64_t reserved_ = 0;
};

}  // namespace farlink::cfdp
