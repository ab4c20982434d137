// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceivefile/state_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "apps/shared/messages/octet_writer.hpp"
#include "common/files/names.hpp"

namespace farlink::bpreceivefile {
namespace {

constexpr mode_t kPrivateFolder = 0700;

}  // namespace

Result<FileDescriptor, std::string> open_state_folder(const files::TargetFolder &target) {
    const std::string name(files::kStateFolder);
    const auto failed = [&](const char *what) {
        return fail(std::string(what) + target.path() + '/' + name + ": " +
                    messages::reason_of(errno));
    };
    const bool made = ::mkdirat(target.descriptor(), name.c_str(), kPrivateFolder) == 0;
    if (!made && errno != EEXIST) return failed("cannot create ");
    FileDescriptor folder(::openat(target.descriptor(), name.c_str(),
                                   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) return failed("cannot open ");
    if (made && ::fsync(target.descriptor()) != 0) return failed("cannot flush ");
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0)
        return fail("another bpreceivefile writes to " + target.path());
    return folder;
}

}  // namespace farlink::bpreceivefile
