// SPDX-License-Identifier: Apache-2.0
#include "module/storage/known_losses.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "common/runtime/file_descriptor.hpp"

namespace farlink::storage {
namespace {

std::string losses_path_in(const std::string &folder) {
    return folder + "/losses";
}

}  // namespace

KnownLosses read_known_losses(const std::string &folder) {
    KnownLosses losses;
    std::ifstream file(losses_path_in(folder));
    FileNumber number = 0;
    for (std::uint64_t records = 0; file >> number >> records;) losses[number] = records;
    return losses;
}

// Another name first: a part of a line would be another number.
void keep_known_losses(const std::string &folder, const KnownLosses &losses) {
    const std::string path = losses_path_in(folder);
    if (losses.empty()) {
        (void)::unlink(path.c_str());
        return;
    }
    std::string text;
    for (const auto &[file, records] : losses)
        text += std::to_string(file) + ' ' + std::to_string(records) + '\n';
    const std::string fresh = path + ".new";
    const FileDescriptor file(::open(
        fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!file) return;
    const bool whole =
        ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (!whole || std::rename(fresh.c_str(), path.c_str()) != 0) (void)::unlink(fresh.c_str());
}

}  // namespace farlink::storage
