// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceive/folder_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "apps/shared/messages/bundle_name.hpp"

namespace farlink::bpreceive {
namespace {

constexpr mode_t kFolderMode = 0777;  // less the mask of the user
constexpr mode_t kFileMode = 0666;

std::string name_of(const client::Adu &adu) {
    return messages::file_name(messages::id_text(adu.id()));
}

/// A new folder is on disk once the one above it is; 0 or the error.
int make(const std::string &folder) {
    if (::mkdir(folder.c_str(), kFolderMode) != 0) return errno == EEXIST ? 0 : errno;
    const FileDescriptor opened(::open((folder + "/..").c_str(), O_RDONLY | O_CLOEXEC));
    return opened && ::fsync(opened.get()) == 0 ? 0 : errno;
}

}  // namespace

Result<FolderOutput, std::string> FolderOutput::open(const std::string &folder) {
    if (const int error = make(folder); error != 0)
        return fail("cannot create " + folder + ": " + messages::reason_of(error));
    FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened) return fail("cannot open " + folder + ": " + messages::reason_of(errno));
    if (::faccessat(opened.get(), ".", W_OK | X_OK, 0) != 0)
        return fail("cannot write to " + folder + ": " + messages::reason_of(errno));
    return FolderOutput(folder, std::move(opened));
}

FolderOutput::FolderOutput(std::string path, FileDescriptor folder)
    : path_(std::move(path)),
      folder_(std::move(folder)),
      beside_(".bpreceive-" + std::to_string(::getpid())) {}

std::string FolderOutput::path_of(const client::Adu &adu) const {
    return path_ + (path_.ends_with('/') ? "" : "/") + name_of(adu);
}

std::string FolderOutput::failed(const std::string &name) const {
    return "cannot write " + path_ + "/" + name + ": " + messages::reason_of(errno);
}

std::string FolderOutput::write(const client::Adu &adu) {
    std::string error = write_file(beside_.c_str(), adu.payload);
    const std::string name = name_of(adu);
    if (error.empty() &&
        ::renameat(folder_.get(), beside_.c_str(), folder_.get(), name.c_str()) != 0)
        error = failed(name);
    if (!error.empty()) ::unlinkat(folder_.get(), beside_.c_str(), 0);
    return error;
}

std::string FolderOutput::write_file(const char *name, ByteView octets) const {
    const FileDescriptor file(::openat(
        folder_.get(), name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kFileMode));
    if (!file) return failed(name);
    messages::OctetWriter writer(file.get(), path_ + "/" + name);
    if (std::string error = writer.write(octets); !error.empty()) return error;
    if (std::string error = writer.flush(); !error.empty()) return error;
    return ::fsync(file.get()) == 0 ? std::string() : failed(name);
}

std::string FolderOutput::flush() {
    if (::fsync(folder_.get()) == 0) return {};
    return "cannot flush " + path_ + ": " + messages::reason_of(errno);
}

}  // namespace farlink::bpreceive
