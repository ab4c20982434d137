// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/files/arriving_file.hpp"

#include <algorithm>

#include "common/files/octets.hpp"
#include "common/files/record_log.hpp"

namespace farlink::files {
namespace {

constexpr std::uint8_t kArrivalVersion = 1;
enum class ArrivalRecord : std::uint8_t { kHeader = 1, kExtent = 2, kDigest = 3 };

void append_extent_record(Bytes &records, Extent extent) {
    Bytes content;
    OctetAppender to(content);
    to.number(static_cast<std::uint8_t>(ArrivalRecord::kExtent));
    to.number(extent.begin);
    to.number(extent.end);
    append_record(records, content);
}

void append_digest_record(Bytes &records, const Digest &digest) {
    Bytes content;
    OctetAppender to(content);
    to.number(static_cast<std::uint8_t>(ArrivalRecord::kDigest));
    to.octets(digest);
    append_record(records, content);
}

}  // namespace

ArrivingFile::ArrivingFile(const Piece &first)
    : name_(first.name), attributes_(first.attributes), size_(first.size) {
    Bytes content;
    OctetAppender to(content);
    to.number(static_cast<std::uint8_t>(ArrivalRecord::kHeader));
    to.number(kArrivalVersion);
    to.number(size_);
    to.number(attributes_.mode);
    to.number(attributes_.mtime_s);
    to.number(attributes_.mtime_ns);
    to.text(name_);
    append_record(records_, content);
}

std::optional<ArrivingFile> ArrivingFile::load(ByteView records) {
    RecordReader reader(records);
    const auto header = reader.next();
    if (!header) return std::nullopt;
    OctetReader from(*header);
    const auto kind = static_cast<ArrivalRecord>(from.number<std::uint8_t>());
    const auto version = from.number<std::uint8_t>();
    ArrivingFile file;
    file.size_ = from.number<std::uint64_t>();
    file.attributes_.mode = from.number<std::uint32_t>();
    file.attributes_.mtime_s = static_cast<std::int64_t>(from.number<std::uint64_t>());
    file.attributes_.mtime_ns = from.number<std::uint32_t>();
    file.name_ = from.text();
    if (from.failed() || kind != ArrivalRecord::kHeader || version != kArrivalVersion)
        return std::nullopt;
    while (const auto record = reader.next()) file.load_record(*record);
    return file;
}

void ArrivingFile::load_record(ByteView record) {
    OctetReader from(record);
    const auto kind = static_cast<ArrivalRecord>(from.number<std::uint8_t>());
    if (kind == ArrivalRecord::kExtent) {
        const auto begin = from.number<std::uint64_t>();
        const auto end = from.number<std::uint64_t>();
        if (!from.failed() && end <= size_) extents_.add({begin, end});
    } else if (kind == ArrivalRecord::kDigest) {
        Digest digest{};
        std::ranges::copy(from.octets(digest.size()), digest.begin());
        if (!from.failed()) digest_ = digest;
    }
}

std::string ArrivingFile::wrong_piece(const Piece &piece) const {
    if (piece.name != name_ || piece.size != size_ || piece.attributes != attributes_)
        return "contradicts earlier pieces of the same transfer";
    if (piece.digest && digest_ && *piece.digest != *digest_)
        return "has another SHA-256 than earlier pieces of the same transfer";
    if (extents_.count() >= kMostExtents && !extents_.covers(piece.extent()))
        return "leaves too many gaps between the pieces received";
    return {};
}

void ArrivingFile::add(const Piece &piece) {
    if (extents_.add(piece.extent()) > 0) append_extent_record(records_, piece.extent());
    if (piece.digest && !digest_) {
        digest_ = piece.digest;
        append_digest_record(records_, *digest_);
    }
}

}  // namespace farlink::files
