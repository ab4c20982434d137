// SPDX-License-Identifier: Apache-2.0
#include "cfdp/disk/disk_filestore.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "cfdp/disk/file_requests.hpp"
#include "common/files/names.hpp"
#include "common/files/octet_files.hpp"

namespace farlink::cfdp {
namespace {

constexpr mode_t kCopyMode = 0600;
constexpr mode_t kFileMode = 0640;
/// More are synced with the file system as a whole.
constexpr std::size_t kMostFolders = 16;
/// Then the file is rejected.
constexpr unsigned kMostSameNames = 10'000;

FileFault fault_of(int error) {
    if (error == ENOSPC || error == EDQUOT) return FileFault::kNoSpace;
    constexpr int kOfNames[] = {EISDIR, ENOTDIR, ELOOP, EXDEV, ENAMETOOLONG, EEXIST, ENOENT};
    for (const int each : kOfNames)
        if (error == each) return FileFault::kName;
    return FileFault::kOther;
}

class DiskSource final : public SourceFile {
public:
    DiskSource(FileDescriptor file, const struct stat &status)
        : file_(std::move(file)), status_(status) {}

    std::uint64_t size() const override { return static_cast<std::uint64_t>(status_.st_size); }

    // A file that others write meanwhile is not sent as a mixture.
    Result<Bytes, FileFault> read(std::uint64_t offset, std::size_t size) override {
        struct stat now{};
        if (::fstat(file_.get(), &now) != 0) return fail(FileFault::kOther);
        if (now.st_size != status_.st_size || now.st_mtim.tv_sec != status_.st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != status_.st_mtim.tv_nsec)
            return fail(FileFault::kChanged);
        Bytes octets(size);
        std::size_t got = 0;
        while (got < size) {
            const ssize_t more = ::pread(file_.get(), octets.data() + got, size - got,
                                         static_cast<off_t>(offset + got));
            if (more < 0 && errno == EINTR) continue;
            if (more <= 0) return fail(more == 0 ? FileFault::kChanged : FileFault::kOther);
            got += static_cast<std::size_t>(more);
        }
        return octets;
    }

private:
    FileDescriptor file_;
    struct stat status_;
};

class DiskCopy final : public ArrivingCopy {
public:
    DiskCopy(files::TargetFolder &root, EntityState &state, std::string inbox, TransactionId id,
             std::string name, FileDescriptor file)
        : root_(root),
          state_(state),
          inbox_(std::move(inbox)),
          id_(id),
          name_(std::move(name)),
          file_(std::move(file)) {}

    Result<void, FileFault> write(std::uint64_t offset, ByteView data) override {
        const int error = files::write_all(file_.get(), data, offset);
        if (error != 0) return fail(fault_of(error));
        return {};
    }

    // Where sync() does not reach all, octets and their name are flushed here, before the record.
    Result<void, FileFault> save(ByteView state) override {
        if (!root_.can_sync_all()) {
            if (::fdatasync(file_.get()) != 0) return fail(fault_of(errno));
            if (const int error = flushed_ ? 0 : state_.flush_copy_name(name_); error != 0)
                return fail(fault_of(error));
            flushed_ = true;
        }
        if (const int error = state_.save_receiver(id_, state); error != 0)
            return fail(fault_of(error));
        return {};
    }

    Result<std::string, FileFault> finish(const std::string &name) override {
        if (::fchmod(file_.get(), kFileMode) != 0) return fail(fault_of(errno));
        if (!root_.can_sync_all() && ::fsync(file_.get()) != 0) return fail(fault_of(errno));
        const std::string wanted = inbox_ + '/' + name;
        for (unsigned number = 1; number < kMostSameNames; ++number) {
            std::string chosen = number == 1 ? wanted : files::numbered(wanted, number);
            const int error = rename_to(chosen);
            if (error == EEXIST) continue;
            if (error != 0) return fail(fault_of(error));
            state_.release_copy(id_);
            return chosen;
        }
        return fail(FileFault::kName);
    }

    void discard() override { state_.discard_copy(id_); }

private:
    int rename_to(const std::string &name) {
        const auto folder = root_.folder(files::folder_of(name));
        if (!folder) return folder.error();
        const std::string last(files::last_part_of(name));
        return ::renameat2(state_.descriptor(), name_.c_str(), *folder, last.c_str(),
                           RENAME_NOREPLACE) == 0
                   ? 0
                   : errno;
    }

    files::TargetFolder &root_;
    EntityState &state_;
    std::string inbox_;
    TransactionId id_;
    std::string name_;
    FileDescriptor file_;
    bool flushed_ = false;  ///< its name
};

}  // namespace

bool is_plain_name(const std::string &name) {
    return files::wrong_name(name).empty() && name.substr(0, name.find('/')) != kEntityStateFolder;
}

Result<std::unique_ptr<SourceFile>, FileFault> DiskFilestore::open(const std::string &name) {
    if (!is_plain_name(name)) return fail(FileFault::kName);
    auto file = root_.read(name);
    if (!file) return fail(fault_of(file.error()));
    struct stat status{};
    if (::fstat(file->get(), &status) != 0) return fail(fault_of(errno));
    if (!S_ISREG(status.st_mode)) return fail(FileFault::kName);
    return std::make_unique<DiskSource>(std::move(*file), status);
}

Result<std::unique_ptr<ArrivingCopy>, FileFault> DiskFilestore::create(const TransactionId &id) {
    auto name = state_.name_copy(id);
    if (!name) return fail(fault_of(name.error()));
    FileDescriptor file(::openat(state_.descriptor(), name->c_str(),
                                 O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kCopyMode));
    if (!file) return fail(fault_of(errno));
    return std::make_unique<DiskCopy>(root_, state_, folder_of(id.source), id, std::move(*name),
                                      std::move(file));
}

std::unique_ptr<ArrivingCopy> DiskFilestore::reopen(const TransactionId &id) {
    std::string name = state_.copy_name(id);
    FileDescriptor file(
        ::openat(state_.descriptor(), name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    if (!file) return nullptr;
    return std::make_unique<DiskCopy>(root_, state_, folder_of(id.source), id, std::move(name),
                                      std::move(file));
}

// Octets are synced here if the file system can do that as a whole, and by save() and finish()
// otherwise.
Result<void, FileFault> DiskFilestore::sync(SyncScope scope) {
    const bool all = scope == SyncScope::kAll;
    if (scope != SyncScope::kNames)
        if (const int error = state_.sync(); error != 0) return fail(fault_of(error));
    if (scope == SyncScope::kStates) return {};
    const int error = all && root_.can_sync_all() ? root_.sync_all() : root_.sync_folders();
    if (error != 0) return fail(fault_of(error));
    return {};
}

bool DiskFilestore::start_sync(SyncScope scope) {
    if (group_ == nullptr || !root_.can_sync_all()) return false;
    GroupSync::Task task;
    if (scope == SyncScope::kNames) {
        auto folders = root_.take_folders(kMostFolders);
        task.whole = !folders;
        if (folders) task.folders = std::move(*folders);
        group_->request(std::move(task), on_synced_);
        return true;
    }
    EntityState::Unsynced states = state_.begin_sync();
    task.file = std::move(states.file);
    task.whole = scope == SyncScope::kAll || !task.file;
    group_->request(std::move(task), [this, discarded = std::move(states.discarded)](int error) {
        state_.end_sync(discarded, error);
        on_synced_(error);
    });
    return true;
}

void DiskFilestore::set_group_sync(GroupSync &group, GroupSync::Done on_synced) {
    group_ = &group;
    on_synced_ = std::move(on_synced);
}

Result<void, FileFault> DiskFilestore::save(const TransactionId &id, ByteView state) {
    if (const int error = state_.save_receiver(id, state); error != 0) return fail(fault_of(error));
    return {};
}

const std::string &DiskFilestore::folder_of(EntityId entity) const {
    const auto found = folders_.find(entity);
    return found == folders_.end() ? inbox_ : found->second;
}

FilestoreResult DiskFilestore::execute(EntityId from, const FilestoreRequest &request) {
    return run_file_request(root_, state_, folder_of(from), request);
}

Result<std::string, FileFault> DiskFilestore::list(EntityId from, const std::string &folder) {
    return list_folder(root_, folder_of(from), folder);
}

std::string DiskFilestore::name_for_open(EntityId from, const std::string &name) const {
    return folder_of(from) + '/' + name;
}

bool DiskFilestore::is_allowed(EntityId, const std::string &name) const {
    return files::wrong_name(name).empty();
}

}  // namespace farlink::cfdp
