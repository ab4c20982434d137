// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceivefile/placement.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "common/files/names.hpp"

namespace farlink::bpreceivefile {
namespace {

constexpr std::size_t kCompareBytes = 1024 * 1024;
/// Then the file is refused.
constexpr unsigned kMostNumbered = 10'000;

}  // namespace

Result<Placed, int> Placement::place(const WholeFile &file) {
    int error = rename_to(file, file.name, false);
    if (error == 0) return Placed{Fate::kWritten, file.name};
    if (error != EEXIST) return fail(std::move(error));
    // It may have been given before, and its acceptance be lost.
    if (existing_ != Existing::kReplace && is_same(file, file.name)) {
        drop(file);
        return Placed{Fate::kSame, file.name};
    }
    if (existing_ == Existing::kRename) return place_beside(file);
    if (existing_ == Existing::kKeep) {
        drop(file);
        return Placed{Fate::kKeptOther, file.name};
    }
    error = rename_to(file, file.name, true);
    if (error != 0) return fail(std::move(error));
    return Placed{Fate::kReplaced, file.name};
}

Result<Placed, int> Placement::place_beside(const WholeFile &file) {
    for (unsigned number = 2; number < kMostNumbered; ++number) {
        const std::string name = files::numbered(file.name, number);
        int error = rename_to(file, name, false);
        if (error == 0) return Placed{Fate::kRenamed, name};
        if (error != EEXIST) return fail(std::move(error));
        if (!is_same(file, name)) continue;
        drop(file);
        return Placed{Fate::kSame, name};
    }
    return fail(int{EEXIST});
}

int Placement::rename_to(const WholeFile &file, std::string_view name, bool may_replace) {
    const auto folder = target_.folder(files::folder_of(name));
    if (!folder) return folder.error();
    const std::string last(files::last_part_of(name));
    const unsigned flags = may_replace ? 0 : RENAME_NOREPLACE;
    if (::renameat2(temporary_folder_, file.temporary.c_str(), *folder, last.c_str(), flags) == 0)
        return 0;
    return errno;
}

bool Placement::is_same(const WholeFile &file, std::string_view name) const {
    const auto there = target_.read(name);
    struct stat status{};
    if (!there || ::fstat(there->get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
    if (static_cast<std::uint64_t>(status.st_size) != file.size) return false;
    files::Sha256 digest;
    Bytes space(kCompareBytes);
    for (;;) {
        const ssize_t size = ::read(there->get(), space.data(), space.size());
        if (size < 0) return false;
        if (size == 0) return digest.finish() == file.digest;
        digest.update(ByteView(space).first(static_cast<std::size_t>(size)));
    }
}

void Placement::drop(const WholeFile &file) const {
    ::unlinkat(temporary_folder_, file.temporary.c_str(), 0);
}

}  // namespace farlink::bpreceivefile
