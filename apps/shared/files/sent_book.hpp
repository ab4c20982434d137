// SPDX-License-Identifier: Apache-2.0
// What the node has accepted of the files of one destination, also by earlier runs: it is not sent
// again.
// Owned by bpsendfile; one thread at a time.
// No file is touched: records go out and come in as octets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "apps/shared/files/file_adu.hpp"
#include "common/base/bytes.hpp"
#include "common/files/extents.hpp"

namespace farlink::files {

/// A file that has changed has another one.
struct FileVersion {
    std::uint64_t size = 0;
    std::int64_t mtime_s = 0;
    std::uint32_t mtime_ns = 0;

    friend bool operator==(const FileVersion &, const FileVersion &) = default;
};

class SentBook {
public:
    explicit SentBook(std::string destination) : destination_(std::move(destination)) {}

    /// A record of an earlier run, the first one first. Otherwise: why it is none of this
    /// destination.
    [[nodiscard]] std::string load(ByteView record);

    [[nodiscard]] bool is_done(std::string_view name, const FileVersion &version) const;
    /// What was accepted of a file that was not sent to its end.
    struct Open {
        TransferId transfer{};
        FileVersion version{};
        Extents accepted{};
    };
    [[nodiscard]] const Open *find_open(std::string_view name, const FileVersion &version) const;

    void begin(std::string_view name, const FileVersion &version, const TransferId &transfer);
    void accept(std::string_view name, Extent extent);
    void finish(std::string_view name, const FileVersion &version);

    /// The records of what has changed since the last call.
    [[nodiscard]] Bytes take_records() { return std::exchange(records_, {}); }
    /// The records of all of it.
    [[nodiscard]] Bytes all_records() const;

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>{}(text);
        }
    };
    template <class Value>
    using ByName = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

    std::string destination_;
    ByName<FileVersion> done_;
    ByName<Open> open_;
    Bytes records_;
    bool has_header_ = false;
};

}  // namespace farlink::files
