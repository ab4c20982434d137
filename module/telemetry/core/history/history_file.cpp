// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/history_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "common/codec/crc.hpp"

namespace farlink::telemetry {
namespace {

constexpr std::string_view kMagic = "farlhist";
constexpr std::string_view kMark = "FHBK";
constexpr std::string_view kEnding = ".fhist";
constexpr std::size_t kNumberDigits = 8;
constexpr std::size_t kTimeDigits = 15;

// Places in the header of a file.
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kVersionCrcAt = 12;
constexpr std::size_t kKindAt = 16;
constexpr std::size_t kNodeAt = 20;
constexpr std::size_t kBeginAt = 28;
constexpr std::size_t kHeaderCrcAt = 36;
// Places in the head of a block.
constexpr std::size_t kCrcAt = 4;
constexpr std::size_t kSizeAt = 8;
constexpr std::size_t kTypeAt = 12;
constexpr std::size_t kFromAt = 16;
constexpr std::size_t kToAt = 24;

/// Marks that are not followed by a whole block, after which the rest of a file is given up: each
/// costs a checksum.
constexpr std::size_t kMostAttempts = 1000;

constexpr std::array<std::pair<HistoryKind, std::string_view>, 3> kNames{
    {{HistoryKind::kEvents, "events-"},
     {HistoryKind::kFineRates, "rates10-"},
     {HistoryKind::kCoarseRates, "rates60-"}}};

std::optional<HistoryKind> kind_of(std::uint32_t raw) {
    for (const auto &[kind, name] : kNames)
        if (static_cast<std::uint32_t>(kind) == raw) return kind;
    return std::nullopt;
}

std::string padded(std::uint64_t number, std::size_t digits) {
    std::string text = std::to_string(number);
    return text.insert(0, digits - std::min(digits, text.size()), '0');
}

std::optional<std::uint64_t> read_digits(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
    return error == std::errc() && end == text.end() ? std::optional(number) : std::nullopt;
}

/// The block at the begin of `in`; nothing when it is not whole.
std::optional<HistoryBlock> whole_block(ByteView in) {
    if (in.size() < kBlockHeadBytes || as_text(in.first(kMark.size())) != kMark)
        return std::nullopt;
    const std::size_t size = load_be<std::uint32_t>(in.data() + kSizeAt);
    if (size > kMostBlockBytes || size > in.size() - kBlockHeadBytes) return std::nullopt;
    const ByteView covered = in.subspan(kSizeAt, kBlockHeadBytes - kSizeAt + size);
    if (codec::crc32c(covered) != load_be<std::uint32_t>(in.data() + kCrcAt)) return std::nullopt;
    return HistoryBlock{
        static_cast<BlockType>(in[kTypeAt]), load_be<std::uint64_t>(in.data() + kFromAt),
        load_be<std::uint64_t>(in.data() + kToAt), in.subspan(kBlockHeadBytes, size)};
}

}  // namespace

std::string file_name(const HistoryFile &file) {
    for (const auto &[kind, name] : kNames)
        if (kind == file.kind)
            return std::string(name) + padded(file.number, kNumberDigits) + '-' +
                   padded(file.begin, kTimeDigits) + std::string(kEnding);
    return {};
}

std::optional<HistoryFile> parse_file_name(std::string_view name) {
    for (const auto &[kind, start] : kNames) {
        if (!name.starts_with(start) || !name.ends_with(kEnding)) continue;
        if (name.size() != start.size() + kNumberDigits + 1 + kTimeDigits + kEnding.size())
            continue;
        const std::string_view digits = name.substr(start.size());
        const auto number = read_digits(digits.substr(0, kNumberDigits));
        const auto begin = read_digits(digits.substr(kNumberDigits + 1, kTimeDigits));
        if (number && begin && digits[kNumberDigits] == '-')
            return HistoryFile{kind, *number, *begin};
    }
    return std::nullopt;
}

std::uint64_t longest_period_ms(HistoryKind kind) {
    constexpr std::uint64_t kHour = 3600 * kMsPerSecond;
    return kind == HistoryKind::kFineRates ? 2 * kHour : 24 * kHour;
}

Bytes encode_header(const HistoryHeader &header) {
    Bytes out(kHistoryHeaderBytes);
    std::ranges::copy(kMagic, out.begin());
    store_be(out.data() + kVersionAt, header.version);
    store_be(out.data() + kVersionCrcAt, codec::crc32c(ByteView(out).first(kVersionCrcAt)));
    store_be(out.data() + kKindAt, static_cast<std::uint32_t>(header.kind));
    store_be(out.data() + kNodeAt, header.node.value());
    store_be(out.data() + kBeginAt, header.begin);
    store_be(out.data() + kHeaderCrcAt, codec::crc32c(ByteView(out).first(kHeaderCrcAt)));
    return out;
}

// The version has a checksum of its own, so that a damaged header is not taken for a newer one.
Result<HistoryHeader, HeaderError> decode_header(ByteView in) {
    if (in.size() < kKindAt || as_text(in.first(kMagic.size())) != kMagic ||
        codec::crc32c(in.first(kVersionCrcAt)) != load_be<std::uint32_t>(in.data() + kVersionCrcAt))
        return fail(HeaderError::kDamaged);
    HistoryHeader header;
    header.version = load_be<std::uint32_t>(in.data() + kVersionAt);
    if (header.version > kHistoryVersion) return fail(HeaderError::kNewer);
    if (header.version == 0 || in.size() < kHistoryHeaderBytes ||
        codec::crc32c(in.first(kHeaderCrcAt)) != load_be<std::uint32_t>(in.data() + kHeaderCrcAt))
        return fail(HeaderError::kDamaged);
    const auto kind = kind_of(load_be<std::uint32_t>(in.data() + kKindAt));
    if (!kind) return fail(HeaderError::kDamaged);
    header.kind = *kind;
    header.begin = load_be<std::uint64_t>(in.data() + kBeginAt);
    header.node = NodeNumber{load_be<std::uint64_t>(in.data() + kNodeAt)};
    return header;
}

void append_block(Bytes &to, const HistoryBlock &block) {
    const std::size_t at = to.size();
    to.resize(at + kBlockHeadBytes);
    std::uint8_t *const head = to.data() + at;
    std::ranges::copy(kMark, head);
    store_be(head + kSizeAt, static_cast<std::uint32_t>(block.payload.size()));
    head[kTypeAt] = static_cast<std::uint8_t>(block.type);
    store_be(head + kFromAt, block.from);
    store_be(head + kToAt, block.to);
    append(to, block.payload);
    store_be(to.data() + at + kCrcAt, codec::crc32c(ByteView(to).subspan(at + kSizeAt)));
}

std::size_t scan_blocks(ByteView content,
                        const std::function<void(const HistoryBlock &)> &handler) {
    std::size_t damages = 0;
    std::size_t attempts = 0;
    bool skipping = false;
    while (!content.empty()) {
        if (const auto block = whole_block(content)) {
            skipping = false;
            handler(*block);
            content = content.subspan(kBlockHeadBytes + block->payload.size());
            continue;
        }
        if (!std::exchange(skipping, true)) ++damages;
        const std::size_t next = as_text(content.subspan(1)).find(kMark);
        if (next == std::string_view::npos || ++attempts > kMostAttempts) break;
        content = content.subspan(1 + next);
    }
    return damages;
}

}  // namespace farlink::telemetry
