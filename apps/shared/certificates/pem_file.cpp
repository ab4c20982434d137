// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/certificates/pem_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>

#include "cla/tls/tls_error.hpp"

namespace farlink::certificates {
namespace {

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t size = ::write(fd, text.data(), text.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
}

}  // namespace

std::string write_whole(const PemFile &file) {
    const std::string unfinished = file.path + ".new";
    const mode_t mode = file.secrecy == Secrecy::kPrivate ? 0600 : 0644;
    const auto failed = [&] {
        const int error = errno;
        ::unlink(unfinished.c_str());
        return file.path + ": " + cla::system_error_text(error);
    };
    ::unlink(unfinished.c_str());  // left by an interrupted run
    const int fd = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) return failed();
    const bool written = write_all(fd, file.text) && ::fsync(fd) == 0;
    const int error = errno;
    ::close(fd);
    errno = error;
    if (!written || std::rename(unfinished.c_str(), file.path.c_str()) != 0) return failed();
    return {};
}

}  // namespace farlink::certificates
