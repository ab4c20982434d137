// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/control/local_node.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <ranges>
#include <system_error>
#include <utility>

#include "apps/shared/control/control_client.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::ctl {
namespace {

namespace fs = std::filesystem;

bool is_number(const std::string &text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::vector<std::string> command_line(const fs::path &process) {
    std::ifstream file(process / "cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
    return words;
}

bool is_own(const fs::path &process) {
    struct stat status{};
    return ::stat(process.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

/// The socket of a process that is a node; empty for others.
std::string socket_of_process(const fs::path &process, const SocketOf &socket_in) {
    const std::vector<std::string> words = command_line(process);
    if (words.empty() || fs::path(words.front()).filename() != "farlink") return {};
    const std::string config = config_of(words);
    std::error_code error;
    const fs::path folder = fs::read_symlink(process / "cwd", error);
    if (config.empty() || error) return {};
    return socket_in((folder / config).string()).value_or("");
}

/// The error of a connection to the socket; 0: a process answers.
int try_to_connect(const std::string &socket) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket.size() >= sizeof address.sun_path) return ENAMETOOLONG;
    std::memcpy(address.sun_path, socket.data(), socket.size());
    const FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!probe) return errno;
    // The address has one type for each family (POSIX sockets).
    const auto *target = reinterpret_cast<const sockaddr *>(&address);
    if (::connect(probe.get(), target, sizeof address) == 0) return 0;
    return errno == EAGAIN ? 0 : errno;  // many clients wait
}

/// std::filesystem::equivalent() does not compare sockets.
bool is_same_file(const std::string &a, const std::string &b) {
    struct stat one{};
    struct stat other{};
    return a == b || (::stat(a.c_str(), &one) == 0 && ::stat(b.c_str(), &other) == 0 &&
                      one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

}  // namespace

std::optional<LocalChoice> choose_socket(const std::string &usual, std::vector<std::string> own,
                                         const std::string &option) {
    std::erase_if(own, [&](const std::string &socket) { return is_same_file(socket, usual); });
    std::error_code error;
    if (!fs::is_socket(usual, error)) {
        if (own.size() != 1) return std::nullopt;
        return LocalChoice{own.front()};
    }
    const int refused = try_to_connect(usual);
    if (refused == 0) {
        LocalChoice installed{usual};
        if (own.size() == 1)
            installed.note = "using the node at " + usual + "; this user also runs the node at " +
                             own.front() + ": select it by " + option + ' ' + own.front();
        else if (!own.empty())
            installed.note = "using the node at " + usual +
                             "; this user also runs other nodes; select one of them by:" +
                             choices_text(own, option);
        return installed;
    }
    // Without another node, the error of the command is that of this socket.
    if (own.empty()) return LocalChoice{usual};
    if (own.size() > 1) return std::nullopt;
    return LocalChoice{own.front(), "no answer at " + usual + " (" +
                                        std::generic_category().message(refused) +
                                        "); using the node of this user at " + own.front()};
}

std::string choices_text(const std::vector<std::string> &sockets, const std::string &option) {
    constexpr std::size_t kMostLines = 16;
    std::string text;
    for (const std::string &socket : sockets | std::views::take(kMostLines))
        text += "\n  " + option + ' ' + socket;
    if (sockets.size() > kMostLines)
        text += "\n  and " + std::to_string(sockets.size() - kMostLines) + " more";
    return text;
}

std::string config_of(const std::vector<std::string> &words) {
    constexpr std::string_view kOption = "--config";
    for (std::size_t at = 1; at < words.size(); ++at) {
        const std::string &word = words[at];
        if (word == kOption && at + 1 < words.size()) return words[at + 1];
        if (word.starts_with(kOption) && word.size() > kOption.size() &&
            word[kOption.size()] == '=')
            return word.substr(kOption.size() + 1);
    }
    return {};
}

std::vector<std::string> sockets_of_own_nodes(const fs::path &processes) {
    return sockets_of_own_nodes(processes, socket_of);
}

std::vector<std::string> sockets_of_own_nodes(const fs::path &processes,
                                              const SocketOf &socket_in) {
    std::vector<std::string> sockets;
    std::error_code error;
    fs::directory_iterator each(processes, error);
    for (; !error && each != fs::directory_iterator(); each.increment(error)) {
        if (!is_number(each->path().filename().string()) || !is_own(each->path())) continue;
        const std::string socket = socket_of_process(each->path(), socket_in);
        if (!socket.empty() && std::ranges::count(sockets, socket) == 0) sockets.push_back(socket);
    }
    std::ranges::sort(sockets);
    return sockets;
}

Result<std::string, std::string> noted_local_socket() {
    auto found = local_socket();
    if (!found) return fail(std::move(found.error()));
    if (!found->note.empty()) std::fprintf(stderr, "%s\n", found->note.c_str());
    return std::move(found->socket);
}

Result<LocalChoice, std::string> local_socket(const std::string &usual, const fs::path &processes) {
    const std::vector<std::string> sockets = sockets_of_own_nodes(processes);
    if (auto chosen = choose_socket(usual, sockets, "--socket")) return std::move(*chosen);
    if (sockets.empty())
        return fail("no running node with a control socket found: no such socket: " + usual +
                    ", and this user runs no node with `controlSocket`. Start a node with `farlink "
                    "--config FILE`, or select one by --socket or --config");
    return fail("several nodes are running; select one:" + choices_text(sockets, "--socket"));
}

}  // namespace farlink::ctl
