// SPDX-License-Identifier: Apache-2.0
// The files of an entity beneath its root: what is sent, and the inbox for what arrives.
// Owned by the daemon; one thread. The state is borrowed.
// Names are resolved by openat2() beneath the root, and nothing has its final name before it is
// complete, checked and on disk.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cfdp/core/transaction/filestore.hpp"
#include "cfdp/disk/entity_state.hpp"
#include "cfdp/disk/group_sync.hpp"
#include "common/files/target_folder.hpp"

namespace farlink::cfdp {

class DiskFilestore final : public Filestore {
public:
    /// `inbox`: a name beneath the root, for all entities without a folder of their own.
    DiskFilestore(files::TargetFolder &root, EntityState &state, std::string inbox)
        : root_(root), state_(state), inbox_(std::move(inbox)) {}

    [[nodiscard]] Result<std::unique_ptr<SourceFile>, FileFault> open(
        const std::string &name) override;
    [[nodiscard]] Result<std::unique_ptr<ArrivingCopy>, FileFault> create(
        const TransactionId &id) override;
    [[nodiscard]] Result<void, FileFault> sync(SyncScope scope) override;
    [[nodiscard]] bool start_sync(SyncScope scope) override;
    [[nodiscard]] Result<void, FileFault> save(const TransactionId &id, ByteView state) override;
    [[nodiscard]] bool is_allowed(EntityId from, const std::string &name) const override;
    [[nodiscard]] FilestoreResult execute(EntityId from, const FilestoreRequest &request) override;
    [[nodiscard]] Result<std::string, FileFault> list(EntityId from,
                                                      const std::string &folder) override;
    [[nodiscard]] std::string name_for_open(EntityId from, const std::string &name) const override;

    /// Syncs are made by another thread, and what comes of them goes to Entity::handle_synced().
    void set_group_sync(GroupSync &group, GroupSync::Done on_synced);

    /// Where the files of an entity are, beneath the root.
    void set_folder(EntityId entity, std::string folder) { folders_[entity] = std::move(folder); }

    /// The copy of an earlier run; null: it cannot be opened.
    [[nodiscard]] std::unique_ptr<ArrivingCopy> reopen(const TransactionId &id);

private:
    [[nodiscard]] const std::string &folder_of(EntityId entity) const;

    files::TargetFolder &root_;
    EntityState &state_;
    std::string inbox_;
    std::map<EntityId, std::string> folders_;
    GroupSync *group_ = nullptr;
    GroupSync::Done on_synced_;
};

/// Whether a name beneath the root may be sent or written; false: it leads elsewhere, or to the
/// state.
[[nodiscard]] bool is_plain_name(const std::string &name);

}  // namespace farlink::cfdp
