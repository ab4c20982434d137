// SPDX-License-Identifier: Apache-2.0
// Whole reads and writes of files, and what is in a folder.
// Plain functions; the descriptors are borrowed.
// Any thread. Errors are errno values; 0: done.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/bytes.hpp"

namespace farlink::files {

/// 0 or the error, of all octets.
[[nodiscard]] int write_all(int file, ByteView octets, std::uint64_t offset);
/// Of the file from its begin on, at most `largest` octets; what cannot be read is missing.
[[nodiscard]] Bytes read_all(int file, std::size_t largest);
/// Of what is in a folder.
[[nodiscard]] std::vector<std::string> names_in(int folder);
/// "no space left on device", of errno.
[[nodiscard]] std::string reason_of(int error);

}  // namespace farlink::files
