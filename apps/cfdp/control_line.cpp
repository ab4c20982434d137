// SPDX-License-Identifier: Apache-2.0
#include "apps/cfdp/control_line.hpp"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/files/octet_files.hpp"

namespace farlink::cfdp_command {
namespace {

constexpr int kAnswerSeconds = 30;

}  // namespace

Result<ControlLine, std::string> ControlLine::connect(const std::string &path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return fail(path + ": the path is too long for a socket; expected at most 107 bytes");
    std::memcpy(address.sun_path, path.c_str(), path.size());
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket ||
        ::connect(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
        return fail("cannot connect to farlink-cfdpd at " + path + ": " + files::reason_of(errno));
    const timeval limit{kAnswerSeconds, 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return ControlLine(std::move(socket));
}

Result<std::string, std::string> ControlLine::ask(const std::string &line) {
    if (std::string error = send(line + '\n'); !error.empty()) return fail(std::move(error));
    return receive();
}

Result<std::vector<std::string>, std::string> ControlLine::ask_all(
    const std::vector<std::string> &lines) {
    std::string text;
    for (const std::string &line : lines) text += line + '\n';
    if (std::string error = send(text); !error.empty()) return fail(std::move(error));
    std::vector<std::string> replies;
    while (replies.size() < lines.size()) {
        auto reply = receive();
        if (!reply) return fail(reply.error());
        replies.push_back(std::move(*reply));
    }
    return replies;
}

std::string ControlLine::send(const std::string &text) {
    std::size_t sent = 0;
    while (sent < text.size()) {
        const ssize_t size =
            ::send(socket_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (size <= 0) return "farlink-cfdpd: " + files::reason_of(errno);
        sent += static_cast<std::size_t>(size);
    }
    return {};
}

Result<std::string, std::string> ControlLine::receive() {
    std::array<char, 64 * 1024> space{};
    for (;;) {
        const std::size_t end = input_.find('\n');
        if (end != std::string::npos) {
            std::string reply = input_.substr(0, end);
            input_.erase(0, end + 1);
            return reply;
        }
        const ssize_t size = ::recv(socket_.get(), space.data(), space.size(), 0);
        if (size == 0) return fail(std::string("farlink-cfdpd closed the connection"));
        if (size < 0) return fail("farlink-cfdpd: " + files::reason_of(errno));
        input_.append(space.data(), static_cast<std::size_t>(size));
    }
}

}  // namespace farlink::cfdp_command
