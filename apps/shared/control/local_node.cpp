// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/control/local_node.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "apps/shared/control/control_client.hpp"

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

}  // namespace

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

Result<std::string, std::string> local_socket(const std::string &usual, const fs::path &processes) {
    std::error_code error;
    if (fs::is_socket(usual, error)) return usual;
    const std::vector<std::string> sockets = sockets_of_own_nodes(processes);
    if (sockets.size() == 1) return sockets.front();
    if (sockets.empty())
        return fail("no running node with a control socket found: no such socket: " + usual +
                    ", and this user runs no node with `controlSocket`. Start a node with `farlink "
                    "--config FILE`, or select one by --socket or --config");
    std::string words = "several nodes are running; select one:";
    for (const std::string &socket : sockets) words += "\n  --socket " + socket;
    return fail(std::move(words));
}

}  // namespace farlink::ctl
