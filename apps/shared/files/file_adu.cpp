// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/files/file_adu.hpp"

#include <algorithm>

#include "common/files/octets.hpp"

namespace farlink::files {
namespace {

constexpr std::string_view kMagic = "FLFT";
constexpr std::uint8_t kAduVersion = 1;
constexpr std::uint8_t kPiece = 1;
constexpr std::uint8_t kEntries = 2;
constexpr std::uint8_t kFolder = 1;
constexpr std::uint8_t kFile = 2;
constexpr std::uint16_t kHasDigest = 1;
constexpr std::uint32_t kModeBits = 0777;
constexpr std::uint32_t kSecond = 1'000'000'000;
constexpr std::size_t kFixedHead = 4 + 1 + 1 + 2 + 16 + 8 + 8 + 4 + 8 + 4 + 32 + 2;
/// Octets of an entry without name and data.
constexpr std::size_t kLeastEntry = 1 + 4 + 8 + 4 + 2;

using Decoded = std::variant<Piece, Entries>;

void append_start(OctetAppender &to, std::uint8_t kind, std::uint16_t flags) {
    to.octets(as_bytes(kMagic));
    to.number(kAduVersion);
    to.number(kind);
    to.number(flags);
}

void append_attributes(OctetAppender &to, const Attributes &attributes) {
    to.number(attributes.mode & kModeBits);
    to.number(attributes.mtime_s);
    to.number(attributes.mtime_ns);
}

/// False: malformed.
bool read_attributes(OctetReader &from, Attributes &attributes) {
    attributes.mode = from.number<std::uint32_t>();
    attributes.mtime_s = static_cast<std::int64_t>(from.number<std::uint64_t>());
    attributes.mtime_ns = from.number<std::uint32_t>();
    return (attributes.mode & ~kModeBits) == 0 && attributes.mtime_ns < kSecond;
}

Digest read_digest(OctetReader &from) {
    Digest digest{};
    std::ranges::copy(from.octets(digest.size()), digest.begin());
    return digest;
}

Result<Decoded, std::string> decode_piece(OctetReader from, std::uint16_t flags) {
    Piece piece;
    std::ranges::copy(from.octets(piece.transfer.size()), piece.transfer.begin());
    piece.size = from.number<std::uint64_t>();
    piece.offset = from.number<std::uint64_t>();
    const bool valid = read_attributes(from, piece.attributes);
    const Digest digest = read_digest(from);
    if ((flags & kHasDigest) != 0) piece.digest = digest;
    piece.name = from.text();
    piece.data = from.rest();
    if (from.failed()) return fail(std::string("the head is truncated"));
    if (!valid) return fail(std::string("a mode or a time is invalid"));
    if (piece.size > kLargestFile || piece.offset > piece.size ||
        piece.data.size() > piece.size - piece.offset)
        return fail(std::string("the piece is outside its file"));
    return piece;
}

/// The reason; empty: it was read.
std::string read_entry(OctetReader &from, Entry &entry) {
    const auto type = from.number<std::uint8_t>();
    const bool valid = read_attributes(from, entry.attributes);
    entry.name = from.text();
    entry.folder = type == kFolder;
    if (type == kFile) {
        const auto size = from.number<std::uint32_t>();
        entry.digest = read_digest(from);
        entry.data = from.octets(size);
    }
    if (from.failed()) return "an entry is truncated";
    if (type != kFile && type != kFolder) return "an entry is neither a file nor a folder";
    return valid ? "" : "a mode or a time is invalid";
}

Result<Decoded, std::string> decode_entries(OctetReader from) {
    Entries entries;
    entries.reserve(std::min<std::size_t>(from.rest().size() / (2 * kLeastEntry), 4096));
    while (!from.rest().empty()) {
        if (std::string error = read_entry(from, entries.emplace_back()); !error.empty())
            return fail(std::move(error));
    }
    return entries;
}

}  // namespace

std::size_t piece_head_bytes(std::string_view name) {
    return kFixedHead + name.size();
}

void append_piece_head(Bytes &to, const Piece &piece) {
    OctetAppender out(to);
    append_start(out, kPiece, piece.digest ? kHasDigest : std::uint16_t{0});
    out.octets(piece.transfer);
    out.number(piece.size);
    out.number(piece.offset);
    append_attributes(out, piece.attributes);
    out.octets(piece.digest.value_or(Digest{}));
    out.text(piece.name);
}

void begin_entries(Bytes &to) {
    OctetAppender out(to);
    append_start(out, kEntries, 0);
}

void append_entry(Bytes &to, const Entry &entry) {
    OctetAppender out(to);
    out.number(entry.folder ? kFolder : kFile);
    append_attributes(out, entry.attributes);
    out.text(entry.name);
    if (entry.folder) return;
    out.number(static_cast<std::uint32_t>(entry.data.size()));
    out.octets(entry.digest);
    out.octets(entry.data);
}

Result<Decoded, std::string> decode_adu(ByteView payload) {
    OctetReader from(payload);
    if (as_text(from.octets(kMagic.size())) != kMagic)
        return fail(std::string("not an ADU of a file transfer"));
    if (from.number<std::uint8_t>() != kAduVersion)
        return fail(std::string("the version is not supported"));
    const auto kind = from.number<std::uint8_t>();
    const auto flags = from.number<std::uint16_t>();
    if (from.failed() || (flags & ~(kind == kPiece ? kHasDigest : 0U)) != 0)
        return fail(std::string("flags are set that are not supported"));
    if (kind == kPiece) return decode_piece(from, flags);
    if (kind == kEntries) return decode_entries(from);
    return fail(std::string("the kind of ADU is not supported"));
}

}  // namespace farlink::files
