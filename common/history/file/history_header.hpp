// SPDX-License-Identifier: Apache-2.0
// The header of a file of the bundle history.
// Plain functions.
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/bytes.hpp"
#include "common/base/types.hpp"

namespace farlink::history {

/// The blocks follow it.
inline constexpr std::size_t kHeaderBytes = 4096;
/// Of the header, those that have a meaning.
inline constexpr std::size_t kHeaderUsedBytes = 32;
inline constexpr const char *kFileEnding = ".fring";

[[nodiscard]] Bytes make_header(NodeNumber node);
/// What is wrong with a header for a reader; empty: nothing.
[[nodiscard]] std::string wrong_with_header(ByteView header);
[[nodiscard]] NodeNumber node_of_header(ByteView header);
/// Why a node does not continue the file of another one.
[[nodiscard]] std::string foreign_words(ByteView header, NodeNumber node);

}  // namespace farlink::history
