// SPDX-License-Identifier: Apache-2.0
#include "common/files/record_log.hpp"

#include "common/codec/crc.hpp"
#include "common/files/octets.hpp"

namespace farlink::files {
namespace {

constexpr std::size_t kLargestRecord = 64 * 1024 * 1024;

}  // namespace

void append_record(Bytes &to, ByteView content) {
    OctetAppender out(to);
    out.number(static_cast<std::uint32_t>(content.size()));
    out.number(codec::crc32c(content));
    out.octets(content);
}

std::optional<ByteView> RecordReader::next() {
    OctetReader from(all_.subspan(read_));
    const auto size = from.number<std::uint32_t>();
    const auto sum = from.number<std::uint32_t>();
    if (size == 0 || size > kLargestRecord) return std::nullopt;
    const ByteView content = from.octets(size);
    if (from.failed() || codec::crc32c(content) != sum) return std::nullopt;
    read_ = all_.size() - from.rest().size();
    return content;
}

}  // namespace farlink::files
