// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/bundle_extent.hpp"

#include <algorithm>
#include <array>

#include "common/codec/cbor.hpp"
#include "common/codec/sdnv.hpp"

namespace farlink::cla::ltp {
namespace {

using codec::CborMajor;

constexpr std::uint8_t kBpv6 = 6;
// Block processing control flags (RFC 5050 section 4.3).
constexpr std::uint64_t kLastBlock = 0x08;
constexpr std::uint64_t kHasReferences = 0x40;

bool skip_bpv6(ChainReader &reader) {
    std::uint64_t flags = 0;
    std::uint64_t length = 0;
    // The primary block: its flags, and the length of the rest of it.
    if (!reader.sdnv(flags) || !reader.sdnv(length) || !reader.skip(length)) return false;
    do {
        std::uint8_t type = 0;
        if (!reader.octet(type) || !reader.sdnv(flags)) return false;
        if ((flags & kHasReferences) != 0) {
            std::uint64_t count = 0;
            std::uint64_t reference = 0;
            if (!reader.sdnv(count)) return false;
            for (std::uint64_t i = 0; i < count; ++i)
                if (!reader.sdnv(reference) || !reader.sdnv(reference)) return false;
        }
        if (!reader.sdnv(length) || !reader.skip(length)) return false;
    } while ((flags & kLastBlock) == 0);
    return true;
}

/// Steps over one CBOR item and everything inside it.
class CborSkipper {
public:
    explicit CborSkipper(ChainReader &reader) : reader_(reader) {}

    [[nodiscard]] bool skip(std::uint8_t first) {
        left_[0] = 1;
        depth_ = 1;
        if (!item(first)) return false;
        while (depth_ > 0) {
            if (left_[depth_ - 1] == 0) {
                --depth_;
                continue;
            }
            std::uint8_t initial = 0;
            if (!reader_.octet(initial)) return false;
            if (initial != codec::kCborBreak) {
                if (!item(initial)) return false;
                continue;
            }
            if (left_[depth_ - 1] != kIndefinite) return false;
            --depth_;
        }
        return true;
    }

private:
    static constexpr std::uint64_t kIndefinite = ~std::uint64_t{0};
    /// A bundle has fewer levels.
    static constexpr std::size_t kDeepest = 16;

    bool enter(std::uint64_t items) {
        if (depth_ == kDeepest) return false;
        left_[depth_++] = items;
        return true;
    }
    bool item(std::uint8_t initial) {
        if (left_[depth_ - 1] != kIndefinite) --left_[depth_ - 1];
        const auto major = static_cast<CborMajor>(initial >> 5);
        std::uint64_t argument = initial & 31;
        if (argument == 31)
            return major >= CborMajor::kBytes && major <= CborMajor::kMap && enter(kIndefinite);
        if (argument > 27) return false;
        if (argument >= 24) {
            const unsigned width = 1U << (argument - 24);
            argument = 0;
            for (unsigned i = 0; i < width; ++i) {
                std::uint8_t octet = 0;
                if (!reader_.octet(octet)) return false;
                argument = argument << 8 | octet;
            }
        }
        switch (major) {
            case CborMajor::kBytes:
            case CborMajor::kText:
                return reader_.skip(argument);
            case CborMajor::kArray:
                return argument < kIndefinite && enter(argument);
            case CborMajor::kMap:
                return argument < kIndefinite / 2 && enter(2 * argument);
            case CborMajor::kTag:
                return enter(1);
            default:
                return true;
        }
    }

    ChainReader &reader_;
    std::array<std::uint64_t, kDeepest> left_{};  ///< items to come, at each depth
    std::size_t depth_ = 0;
};

}  // namespace

bool ChainReader::octet(std::uint8_t &value) {
    while (!slices_.empty() && at_ == slices_.front().size()) {
        slices_ = slices_.subspan(1);
        at_ = 0;
    }
    if (slices_.empty()) return false;
    value = slices_.front()[at_++];
    ++position_;
    return true;
}

bool ChainReader::skip(std::uint64_t size) {
    position_ += size;
    while (size > 0) {
        if (slices_.empty()) return false;
        const std::uint64_t part = std::min<std::uint64_t>(size, slices_.front().size() - at_);
        at_ += static_cast<std::size_t>(part);
        size -= part;
        if (at_ < slices_.front().size()) break;
        slices_ = slices_.subspan(1);
        at_ = 0;
    }
    return true;
}

bool ChainReader::sdnv(std::uint64_t &value) {
    value = 0;
    for (std::size_t i = 0; i < codec::kMaxSdnvBytes; ++i) {
        std::uint8_t next = 0;
        if (!octet(next) || value >> 57 != 0) return false;
        value = value << 7 | (next & 0x7f);
        if (next < 0x80) return true;
    }
    return false;
}

bool skip_bundle(ChainReader &reader) {
    std::uint8_t first = 0;
    if (!reader.octet(first)) return false;
    if (first == kBpv6) return skip_bpv6(reader);
    return first >> 5 == static_cast<unsigned>(CborMajor::kArray) &&
           CborSkipper(reader).skip(first);
}

}  // namespace farlink::cla::ltp
