// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/checksum/file_checksum.hpp"

#include <algorithm>
#include <iterator>

#include "cfdp/core/checksum/crc32.hpp"
#include "common/codec/crc.hpp"

namespace farlink::cfdp {
namespace {

/// Columns of 16 bits hold the sums of so many words without an overflow.
constexpr std::size_t kWordsOfBlock = 256;
constexpr std::uint64_t kColumns = 0x00ff00ff00ff00ffULL;

std::uint64_t column(std::uint64_t sums, unsigned index) {
    return sums >> (16 * index) & 0xffff;
}

/// Of whole groups of eight octets from a multiple of four on: two words each.
std::uint32_t sum_of_groups(const std::uint8_t *data, std::size_t groups) {
    std::uint64_t total = 0;
    while (groups > 0) {
        const std::size_t now = std::min(groups, kWordsOfBlock);
        std::uint64_t odd = 0;
        std::uint64_t even = 0;
        for (std::size_t i = 0; i < now; ++i) {
            const auto octets = load_be<std::uint64_t>(data + 8 * i);
            odd += octets & kColumns;
            even += octets >> 8 & kColumns;
        }
        total += column(odd, 0) + column(odd, 2);
        total += (column(even, 0) + column(even, 2)) << 8;
        total += (column(odd, 1) + column(odd, 3)) << 16;
        total += (column(even, 1) + column(even, 3)) << 24;
        data += 8 * now;
        groups -= now;
    }
    return static_cast<std::uint32_t>(total);
}

std::uint32_t sum_of_octets(std::uint64_t offset, ByteView data) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < data.size(); ++i)
        sum += std::uint32_t{data[i]} << (8 * (3 - (offset + i) % 4));
    return sum;
}

}  // namespace

std::optional<Algorithm> algorithm_of(std::uint8_t checksum_type) {
    switch (checksum_type) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 15:
            return static_cast<Algorithm>(checksum_type);
        default:
            return std::nullopt;
    }
}

std::uint32_t modular_sum(std::uint64_t offset, ByteView data) {
    const std::size_t head = std::min<std::size_t>((4 - offset % 4) % 4, data.size());
    const std::size_t groups = (data.size() - head) / 8;
    const std::size_t tail = head + 8 * groups;
    return sum_of_octets(offset, data.first(head)) + sum_of_groups(data.data() + head, groups) +
           sum_of_octets(offset + tail, data.subspan(tail));
}

std::uint32_t FileChecksum::extend(std::uint32_t value, std::uint64_t offset, ByteView data) const {
    switch (algorithm_) {
        case Algorithm::kModular:
            return value + modular_sum(offset, data);
        case Algorithm::kProximity1:
            return proximity1_extend(value, data);
        case Algorithm::kCrc32c:
            return codec::crc32c_extend(value, data);
        case Algorithm::kCrc32:
            return crc32_extend(value, data);
        case Algorithm::kNull:
            break;
    }
    return 0;
}

std::uint32_t FileChecksum::combine(std::uint32_t a, std::uint32_t b, std::uint64_t bytes_b) const {
    switch (algorithm_) {
        case Algorithm::kModular:
            return a + b;
        case Algorithm::kProximity1:
            return proximity1_combine(a, b, bytes_b);
        case Algorithm::kCrc32c:
            return codec::crc32c_combine(a, b, bytes_b);
        case Algorithm::kCrc32:
            return crc32_combine(a, b, bytes_b);
        case Algorithm::kNull:
            break;
    }
    return 0;
}

void FileChecksum::add(std::uint64_t offset, ByteView data) {
    if (data.empty()) return;
    auto next = runs_.lower_bound(offset);
    // The usual case: behind what is there.
    if (next != runs_.begin() && std::prev(next)->second.end == offset) {
        const auto run = std::prev(next);
        run->second.value = extend(run->second.value, offset, data);
        run->second.end += data.size();
        return join_next(run);
    }
    join_next(runs_.emplace_hint(next, offset, Run{offset + data.size(), extend(0, offset, data)}));
}

void FileChecksum::restore(const Part &part) {
    runs_.emplace(part.extent.begin, Run{part.extent.end, part.value});
}

void FileChecksum::join_next(Runs::iterator run) {
    const auto next = std::next(run);
    if (next == runs_.end() || next->first != run->second.end) return;
    run->second.value =
        combine(run->second.value, next->second.value, next->second.end - next->first);
    run->second.end = next->second.end;
    runs_.erase(next);
}

std::optional<std::uint32_t> FileChecksum::value(std::uint64_t size) const {
    if (algorithm_ == Algorithm::kNull || size == 0) return 0;
    const auto first = runs_.begin();
    if (first == runs_.end() || first->first != 0 || first->second.end != size) return std::nullopt;
    return first->second.value;
}

std::vector<FileChecksum::Part> FileChecksum::parts() const {
    std::vector<Part> parts;
    for (const auto &[begin, run] : runs_) parts.push_back({{begin, run.end}, run.value});
    return parts;
}

}  // namespace farlink::cfdp
