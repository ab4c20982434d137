// SPDX-License-Identifier: Apache-2.0
#include "common/history/file/history_header.hpp"

#include <algorithm>
#include <string_view>

#include "common/codec/crc.hpp"

namespace farlink::history {
namespace {

constexpr std::string_view kMagic = "farlring";
constexpr std::uint32_t kFormat = 1;
/// Written as the machine writes it: words of a machine with another order are not read.
constexpr std::uint32_t kByteOrder = 0x01020304;
constexpr std::size_t kFormatAt = 8;
constexpr std::size_t kByteOrderAt = 12;
constexpr std::size_t kNodeAt = 16;
constexpr std::size_t kCrcAt = 24;

}  // namespace

Bytes make_header(NodeNumber node) {
    Bytes header(kHeaderBytes);
    std::ranges::copy(kMagic, header.begin());
    store_be(&header[kFormatAt], kFormat);
    std::memcpy(&header[kByteOrderAt], &kByteOrder, sizeof kByteOrder);
    store_be(&header[kNodeAt], node.value());
    store_be(&header[kCrcAt], codec::crc32c(ByteView(header).first(kCrcAt)));
    return header;
}

std::string wrong_with_header(ByteView header) {
    if (header.size() < kHeaderUsedBytes) return "the file is too short";
    if (as_text(header.first(kMagic.size())) != kMagic) return "the file is not a bundle history";
    if (load_be<std::uint32_t>(&header[kCrcAt]) != codec::crc32c(header.first(kCrcAt)))
        return "the header of the file is damaged";
    if (load_be<std::uint32_t>(&header[kFormatAt]) != kFormat)
        return "the file has another version of the format";
    std::uint32_t order = 0;
    std::memcpy(&order, &header[kByteOrderAt], sizeof order);
    if (order != kByteOrder) return "the file was written on a processor with another byte order";
    return {};
}

NodeNumber node_of_header(ByteView header) {
    return NodeNumber{load_be<std::uint64_t>(&header[kNodeAt])};
}

std::string foreign_words(ByteView header, NodeNumber node) {
    return "the bundle history belongs to node " + std::to_string(node_of_header(header).value()) +
           "; expected node " + std::to_string(node.value());
}

}  // namespace farlink::history
