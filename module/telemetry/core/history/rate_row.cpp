// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/rate_row.hpp"

#include <algorithm>
#include <optional>

#include "common/codec/sdnv.hpp"

namespace farlink::telemetry {
namespace {

/// Names of series are short; a longer one is damage.
constexpr std::size_t kMostNameBytes = 256;
constexpr std::size_t kMostNumbers = 65'536;

/// Takes an SDNV from the begin of `in`.
std::optional<std::uint64_t> take_number(ByteView &in) {
    const auto number = codec::decode_sdnv(in);
    if (!number) return std::nullopt;
    in = in.subspan(number->size);
    return number->value;
}

}  // namespace

// A generation has the time of its first row as its number, so that rows never refer to the names
// of an earlier writer.
void RateEncoder::append(Bytes &to, const RateRow &row) {
    if (generation_ == 0 || names_.size() > kMostNames) {
        generation_ = std::max<std::uint64_t>(row.begin, generation_ + 1);
        names_.clear();
        numbers_.clear();
    }
    const std::size_t known = names_.size();
    for (const auto &[name, value] : row.values)
        if (numbers_.try_emplace(name, names_.size()).second) names_.push_back(name);
    if (names_.size() > known) append_names(to, known, row);
    std::vector<std::uint64_t> shifted(names_.size());  // 0: not known
    for (const auto &[name, value] : row.values)
        shifted[numbers_.find(name)->second] = std::min(value, ~std::uint64_t{0} - 1) + 1;
    Bytes payload;
    codec::append_sdnv(payload, generation_);
    for (const std::uint64_t value : shifted) codec::append_sdnv(payload, value);
    append_block(
        to, {BlockType::kRow, row.begin, row.begin + row.step_seconds * kMsPerSecond, payload});
}

void RateEncoder::append_names(Bytes &to, std::size_t first, const RateRow &row) {
    Bytes payload;
    codec::append_sdnv(payload, generation_);
    codec::append_sdnv(payload, first);
    for (std::size_t number = first; number < names_.size(); ++number) {
        const std::string_view name = std::string_view(names_[number]).substr(0, kMostNameBytes);
        codec::append_sdnv(payload, name.size());
        farlink::append(payload, as_bytes(name));
    }
    append_block(to, {BlockType::kNames, row.begin, row.begin, payload});
}

void RateDecoder::handle(const HistoryBlock &block, const Handler &handler) {
    if (block.type == BlockType::kNames) handle_names(block.payload);
    if (block.type == BlockType::kRow) handle_row(block.payload, handler);
}

// Names whose predecessors are missing cannot be numbered, and their rows have no names.
void RateDecoder::handle_names(ByteView in) {
    const auto generation = take_number(in);
    const auto first = generation ? take_number(in) : std::nullopt;
    if (!first) return;
    if (*generation != generation_) names_.clear();
    generation_ = *generation;
    if (*first > kMostNumbers) return;
    names_.resize(std::max<std::size_t>(names_.size(), *first));
    std::size_t number = *first;
    while (!in.empty() && number < kMostNumbers) {
        const auto size = take_number(in);
        if (!size || *size > std::min(kMostNameBytes, in.size())) return;
        if (number == names_.size()) names_.emplace_back();
        names_[number++] = as_text(in.first(*size));
        in = in.subspan(*size);
    }
}

void RateDecoder::handle_row(ByteView in, const Handler &handler) const {
    const auto generation = take_number(in);
    if (!generation || *generation != generation_) return;
    for (const std::string &name : names_) {
        const auto shifted = take_number(in);
        if (!shifted) return;
        if (*shifted > 0 && !name.empty()) handler(name, *shifted - 1);
    }
}

}  // namespace farlink::telemetry
