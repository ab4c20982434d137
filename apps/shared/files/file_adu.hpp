// SPDX-License-Identifier: Apache-2.0
// The ADUs of a file transfer (docs/formats/file-transfer.md): a piece of a file, or several small
// files and folders.
// Values; what is decoded borrows the payload.
// Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "apps/shared/files/digest.hpp"
#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/files/extents.hpp"

namespace farlink::files {

using TransferId = std::array<std::uint8_t, 16>;

/// What is kept of a file beside its octets.
struct Attributes {
    std::uint32_t mode = 0;  ///< the permissions of user, group and others
    std::int64_t mtime_s = 0;
    std::uint32_t mtime_ns = 0;

    friend bool operator==(const Attributes &, const Attributes &) = default;
};

/// No file is larger.
inline constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 60;

struct Piece {
    TransferId transfer{};
    std::string_view name{};
    Attributes attributes{};
    std::uint64_t size = 0;  ///< of the file
    std::uint64_t offset = 0;
    std::optional<Digest> digest{};  ///< of the file; one of the pieces has it
    ByteView data{};

    [[nodiscard]] Extent extent() const { return {offset, offset + data.size()}; }
};

struct Entry {
    std::string_view name{};
    Attributes attributes{};
    bool folder = false;
    Digest digest{};
    ByteView data{};
};

using Entries = std::vector<Entry>;

/// Octets of a piece in front of its data.
[[nodiscard]] std::size_t piece_head_bytes(std::string_view name);
/// Writes the head; `data` is not written, only its size matters.
void append_piece_head(Bytes &to, const Piece &piece);

/// Begins an ADU of entries.
void begin_entries(Bytes &to);
void append_entry(Bytes &to, const Entry &entry);

/// An ADU, or why it is none. Names are not checked.
[[nodiscard]] Result<std::variant<Piece, Entries>, std::string> decode_adu(ByteView payload);

}  // namespace farlink::files
