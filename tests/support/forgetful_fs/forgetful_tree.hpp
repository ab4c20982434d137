// SPDX-License-Identifier: Apache-2.0
// A tree of files in memory that records what was flushed, and can discard the rest.
// Owned by the file system program; one thread.
// Stricter than most file systems: a name is durable only after fsync of its folder, octets only
// after fsync or fdatasync of their file.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace farlink::test {

using NodeId = std::uint64_t;

struct Node {
    bool folder = false;
    mode_t mode = 0;
    std::vector<char> now;      ///< as a reader sees it
    std::vector<char> durable;  ///< as it is after forget()
    std::map<std::string, NodeId> entries;
    std::map<std::string, NodeId> durable_entries;
    unsigned handles = 0;  ///< open ones
};

/// Errors are errno values, negative as FUSE wants them; 0 is success.
class ForgetfulTree {
public:
    ForgetfulTree();

    /// 0 when there is no such path.
    [[nodiscard]] NodeId find(std::string_view path) const;
    [[nodiscard]] Node &node(NodeId id) { return nodes_.at(id); }

    [[nodiscard]] int make(std::string_view path, bool folder, mode_t mode);
    [[nodiscard]] int unlink(std::string_view path);
    [[nodiscard]] int rename(std::string_view from, std::string_view to, bool may_replace);
    void flush(NodeId id);
    void open(NodeId id);
    void close(NodeId id);

    /// Discards everything that was not flushed. -EBUSY while a file is open: a killed program may
    /// still be writing.
    [[nodiscard]] int forget();

private:
    struct Place {
        NodeId folder = 0;
        std::string name;
    };
    [[nodiscard]] Place place_of(std::string_view path) const;
    void sweep();

    std::map<NodeId, Node> nodes_;
    NodeId last_ = 1;
    unsigned handles_ = 0;
};

}  // namespace farlink::test
