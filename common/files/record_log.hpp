// SPDX-License-Identifier: Apache-2.0
// Records of a file that only grows: each behind its length and its CRC-32C.
// Plain functions; a reader borrows the content of the file.
// Any thread.
// A torn end, as a cut leaves it, ends the records.
#pragma once

#include <optional>

#include "common/base/bytes.hpp"

namespace farlink::files {

void append_record(Bytes &to, ByteView content);

class RecordReader {
public:
    explicit RecordReader(ByteView content) : all_(content) {}

    /// None: the end, or a record that is torn or damaged.
    [[nodiscard]] std::optional<ByteView> next();
    /// Octets of the records so far.
    [[nodiscard]] std::size_t read() const { return read_; }

private:
    ByteView all_;
    std::size_t read_ = 0;
};

}  // namespace farlink::files
