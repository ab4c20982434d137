// SPDX-License-Identifier: Apache-2.0
// The octets of a history file: its header, and blocks with a checksum each
// (docs/formats/history.md). Plain functions over borrowed octets; any thread.
// Damaged octets are skipped up to the next block that is whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"

namespace farlink::telemetry {

inline constexpr std::uint32_t kHistoryVersion = 1;
inline constexpr std::size_t kHistoryHeaderBytes = 40;
inline constexpr std::size_t kBlockHeadBytes = 32;
inline constexpr std::size_t kMostBlockBytes = 1024 * 1024;

enum class HistoryKind : std::uint8_t {
    kEvents = 1,
    kFineRates = 2,    ///< in steps of kFineStep
    kCoarseRates = 3,  ///< in steps of kCoarseStep
};

inline constexpr std::uint32_t kFineStepSeconds = 10;
inline constexpr std::uint32_t kCoarseStepSeconds = 60;
inline constexpr std::uint64_t kMsPerSecond = 1000;

/// The name of a file: its kind, its number and the begin of its contents. Numbers rise; times need
/// not, since a clock may be set back.
struct HistoryFile {
    HistoryKind kind = HistoryKind::kEvents;
    std::uint64_t number = 0;
    DtnTime begin = 0;
    friend auto operator<=>(const HistoryFile &, const HistoryFile &) = default;
};

[[nodiscard]] std::string file_name(const HistoryFile &file);
/// Nothing: not the name of a history file.
[[nodiscard]] std::optional<HistoryFile> parse_file_name(std::string_view name);
/// The longest period between the begin of a file and its last block, in milliseconds.
[[nodiscard]] std::uint64_t longest_period_ms(HistoryKind kind);

struct HistoryHeader {
    std::uint32_t version = kHistoryVersion;
    HistoryKind kind = HistoryKind::kEvents;
    DtnTime begin = 0;
    NodeNumber node;
};

enum class HeaderError : std::uint8_t {
    kDamaged,
    kNewer,  ///< written by a newer version
};

[[nodiscard]] Bytes encode_header(const HistoryHeader &header);
[[nodiscard]] Result<HistoryHeader, HeaderError> decode_header(ByteView in);

enum class BlockType : std::uint8_t { kEvents = 1, kNames = 2, kRow = 3 };

struct HistoryBlock {
    BlockType type = BlockType::kEvents;
    DtnTime from = 0;  ///< time of the first item in it
    DtnTime to = 0;    ///< and of the last
    ByteView payload{};
};

void append_block(Bytes &to, const HistoryBlock &block);

/// Gives each whole block of `content`, the octets behind the header, to `handler`. Returns the
/// number of places where octets were skipped.
[[nodiscard]] std::size_t scan_blocks(ByteView content,
                                      const std::function<void(const HistoryBlock &)> &handler);

}  // namespace farlink::telemetry
