// SPDX-License-Identifier: Apache-2.0
#include "tests/support/forgetful_fs/forgetful_tree.hpp"

#include <cerrno>
#include <set>

namespace farlink::test {
namespace {

constexpr NodeId kRoot = 1;

}  // namespace

ForgetfulTree::ForgetfulTree() {
    Node &root = nodes_[kRoot];
    root.folder = true;
    root.mode = 0755;
}

NodeId ForgetfulTree::find(std::string_view path) const {
    if (path == "/") return kRoot;
    const Place place = place_of(path);
    if (place.folder == 0) return 0;
    const auto &entries = nodes_.at(place.folder).entries;
    const auto found = entries.find(place.name);
    return found == entries.end() ? 0 : found->second;
}

ForgetfulTree::Place ForgetfulTree::place_of(std::string_view path) const {
    NodeId folder = kRoot;
    path.remove_prefix(1);
    for (;;) {
        const std::size_t slash = path.find('/');
        const std::string name(path.substr(0, slash));
        if (slash == std::string_view::npos) return {folder, name};
        const auto &entries = nodes_.at(folder).entries;
        const auto found = entries.find(name);
        if (found == entries.end() || !nodes_.at(found->second).folder) return {};
        folder = found->second;
        path.remove_prefix(slash + 1);
    }
}

int ForgetfulTree::make(std::string_view path, bool folder, mode_t mode) {
    const Place place = place_of(path);
    if (place.folder == 0) return -ENOENT;
    if (nodes_.at(place.folder).entries.contains(place.name)) return -EEXIST;
    const NodeId id = ++last_;
    nodes_[id].folder = folder;
    nodes_[id].mode = mode & 07777U;
    nodes_.at(place.folder).entries[place.name] = id;
    return 0;
}

int ForgetfulTree::unlink(std::string_view path) {
    const Place place = place_of(path);
    const NodeId id = find(path);
    if (id == 0) return -ENOENT;
    if (!nodes_.at(id).entries.empty()) return -ENOTEMPTY;
    nodes_.at(place.folder).entries.erase(place.name);
    return 0;  // the node stays: a handle or a durable name may refer to it
}

int ForgetfulTree::rename(std::string_view from, std::string_view to, bool may_replace) {
    const Place old_place = place_of(from);
    const Place new_place = place_of(to);
    const NodeId id = find(from);
    if (id == 0 || new_place.folder == 0) return -ENOENT;
    if (!may_replace && find(to) != 0) return -EEXIST;
    nodes_.at(old_place.folder).entries.erase(old_place.name);
    nodes_.at(new_place.folder).entries[new_place.name] = id;
    return 0;
}

void ForgetfulTree::flush(NodeId id) {
    Node &flushed = nodes_.at(id);
    flushed.durable = flushed.now;
    flushed.durable_entries = flushed.entries;
    if (flushed.folder) sweep();
}

void ForgetfulTree::open(NodeId id) {
    ++nodes_.at(id).handles;
    ++handles_;
}

void ForgetfulTree::close(NodeId id) {
    --nodes_.at(id).handles;
    --handles_;
}

int ForgetfulTree::forget() {
    if (handles_ > 0) return -EBUSY;
    for (auto &[id, forgetting] : nodes_) {
        forgetting.now = forgetting.durable;
        forgetting.entries = forgetting.durable_entries;
    }
    sweep();
    return 0;
}

/// Deletes nodes that no name and no handle refers to, now or after forget().
void ForgetfulTree::sweep() {
    std::set<NodeId> reached;
    std::vector<NodeId> left{kRoot};
    for (const auto &[id, held] : nodes_)
        if (held.handles > 0) left.push_back(id);
    while (!left.empty()) {
        const NodeId id = left.back();
        left.pop_back();
        if (!reached.insert(id).second) continue;
        for (const auto *names : {&nodes_.at(id).entries, &nodes_.at(id).durable_entries})
            for (const auto &[name, entry] : *names) left.push_back(entry);
    }
    std::erase_if(nodes_, [&reached](const auto &found) { return !reached.contains(found.first); });
}

}  // namespace farlink::test
