// SPDX-License-Identifier: Apache-2.0
#include "module/applications/peer_credentials.hpp"

#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace farlink::applications {
namespace {

/// What the system's database needs for an entry.
constexpr std::size_t kEntryBytes = 64 * 1024;
constexpr std::size_t kMostGroups = 1024;

std::optional<std::uint32_t> as_number(const std::string &text) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// The right to give files to any group.
bool has_right_to_any_group() {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> rights{};
    return ::syscall(SYS_capget, &header, rights.data()) == 0 &&
           ((rights[0].effective >> CAP_CHOWN) & 1U) != 0;
}

bool is_member_of(gid_t number) {
    if (number == ::getegid()) return true;
    std::vector<gid_t> groups(kMostGroups);
    const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
    // Of more groups than that, chown() decides.
    if (count < 0) return true;
    return std::find(groups.begin(), groups.begin() + count, number) != groups.begin() + count;
}

}  // namespace

std::optional<Identity> peer_of(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
    Identity identity;
    identity.user = peer.uid;
    identity.groups.push_back(peer.gid);
    std::array<gid_t, kMostGroups> groups{};
    size = sizeof groups;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) != 0) return identity;
    identity.groups.insert(identity.groups.end(), groups.begin(),
                           groups.begin() + size / sizeof(gid_t));
    return identity;
}

std::optional<std::uint32_t> user_number(const std::string &name) {
    if (const auto number = as_number(name)) return number;
    std::vector<char> memory(kEntryBytes);
    passwd entry{};
    passwd *found = nullptr;
    if (::getpwnam_r(name.c_str(), &entry, memory.data(), memory.size(), &found) != 0 ||
        found == nullptr)
        return std::nullopt;
    return found->pw_uid;
}

std::optional<std::uint32_t> group_number(const std::string &name) {
    if (const auto number = as_number(name)) return number;
    std::vector<char> memory(kEntryBytes);
    group entry{};
    group *found = nullptr;
    if (::getgrnam_r(name.c_str(), &entry, memory.data(), memory.size(), &found) != 0 ||
        found == nullptr)
        return std::nullopt;
    return found->gr_gid;
}

std::string wrong_socket_group(const config::ApplicationsConfig &config) {
    const bool named = !config.socket.empty() && !config.socket_group.empty();
    if (!named) return {};
    const auto group = group_number(config.socket_group);
    if (!group) return "applications.socketGroup: no such group: " + config.socket_group;
    if (is_member_of(*group) || has_right_to_any_group()) return {};
    return "applications.socketGroup: the user of the node is not a member of the group " +
           config.socket_group;
}

ResolvedNames resolve_names(const config::ApplicationsConfig &config) {
    ResolvedNames names;
    names.own_user = ::geteuid();
    names.own_group = ::getegid();
    for (const config::AccessConfig &access : config.access) {
        ResolvedNames::Entry entry;
        if (!access.user.empty()) entry.user = user_number(access.user);
        if (!access.group.empty()) entry.group = group_number(access.group);
        names.entries.push_back(entry);
    }
    return names;
}

}  // namespace farlink::applications
