// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/cert/keys_make.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "apps/farlinkctl/shared/exit_code.hpp"
#include "common/bus/zmq/zmq_bus_keys.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::ctl {
namespace {

/// Returns an error, or an empty text.
std::string write_new(const std::string &path, const std::string &line) {
    const FileDescriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const std::string text = line + '\n';
    const bool written =
        file &&
        ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fsync(file.get()) == 0;
    if (written) return {};
    return path + ": " +
           (errno == EEXIST ? "already exists" : std::generic_category().message(errno));
}

std::string make_in(const std::string &directory) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) return directory + ": " + error.message();
    const auto keys = bus::make_curve_keys();
    if (!keys) return "ZeroMQ of this system has no CURVE; install one with libsodium";
    const std::filesystem::path folder(directory);
    const std::string secret = folder / "bus.secret";
    const std::string open = folder / "bus.public";
    if (std::string wrong = write_new(secret, keys->secret_key); !wrong.empty()) return wrong;
    if (std::string wrong = write_new(open, keys->public_key); !wrong.empty()) return wrong;
    std::printf("%s\n%s\n", secret.c_str(), open.c_str());
    return {};
}

}  // namespace

int make_keys(const std::string &directory) {
    const std::string wrong = make_in(directory);
    if (wrong.empty()) return kExitClean;
    std::fprintf(stderr, "farlinkctl: %s\n", wrong.c_str());
    return kExitFailed;
}

}  // namespace farlink::ctl
