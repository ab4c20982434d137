// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/block/security_block.hpp"

#include <algorithm>

#include "common/bp/bpsec/block/cbor_items.hpp"
#include "common/bp/eid/eid_cbor.hpp"

namespace farlink::bp::bpsec {
namespace {

using codec::CborMajor;
using codec::CborReader;

/// Security context flags (section 3.6); the others are reserved.
constexpr std::uint64_t kParametersPresent = 0x01;

/// Calls `item()` for each item of an array of either length, at most `most` of them.
template <class Item>
Verdict read_array(CborReader &reader, std::size_t most, Item item) {
    std::uint64_t count = 0;
    if (!reader.array(count)) return fail(Fault::kBadBlock);
    const bool indefinite = count == CborReader::kIndefinite;
    if (!indefinite && count > most) return fail(Fault::kTooMany);
    for (std::uint64_t i = 0; indefinite || i < count; ++i) {
        if (indefinite && reader.octet(codec::kCborBreak)) return {};
        if (i == most) return fail(Fault::kTooMany);
        if (const Verdict read = item(); !read) return read;
    }
    return {};
}

/// An id and a value.
Verdict read_pair(CborReader &reader, std::vector<SecurityItem> &items) {
    std::uint64_t count = 0;
    SecurityItem item;
    if (!reader.array(count) || !reader.uint(item.id) || !read_item(reader, item.value))
        return fail(Fault::kBadBlock);
    const bool ends =
        count == CborReader::kIndefinite ? reader.octet(codec::kCborBreak) : count == 2;
    if (!ends) return fail(Fault::kBadBlock);
    items.push_back(item);
    return {};
}

Verdict read_items(CborReader &reader, std::vector<SecurityItem> &items) {
    items.clear();
    return read_array(reader, kMostItems, [&] { return read_pair(reader, items); });
}

/// Keeps the memory that targets of an earlier block had for their results.
Verdict read_targets(CborReader &reader, std::vector<SecurityTarget> &targets) {
    std::size_t count = 0;
    const Verdict read = read_array(reader, kMostTargets, [&]() -> Verdict {
        std::uint64_t number = 0;
        if (!reader.uint(number)) return fail(Fault::kBadBlock);
        for (std::size_t i = 0; i < count; ++i)
            if (targets[i].number == number) return fail(Fault::kRepeatedTarget);
        if (count == targets.size()) targets.emplace_back();
        targets[count++].number = number;
        return {};
    });
    targets.resize(count);
    if (read && count == 0) return fail(Fault::kNoTarget);
    return read;
}

Verdict read_results(CborReader &reader, std::vector<SecurityTarget> &targets) {
    std::size_t count = 0;
    const Verdict read = read_array(reader, kMostTargets, [&]() -> Verdict {
        if (count == targets.size()) return fail(Fault::kResultCount);
        return read_items(reader, targets[count++].results);
    });
    if (read && count != targets.size()) return fail(Fault::kResultCount);
    return read;
}

Verdict read_parameters(CborReader &reader, std::uint64_t flags, SecurityBlock &block) {
    block.parameters.clear();
    if ((flags & kParametersPresent) == 0) return {};
    if (const Verdict read = read_items(reader, block.parameters); !read) return read;
    // The field holds one or more parameters.
    if (block.parameters.empty()) return fail(Fault::kBadBlock);
    return {};
}

void write_items(const std::vector<SecurityItem> &items, Bytes &to) {
    codec::append_cbor_head(to, CborMajor::kArray, items.size());
    for (const SecurityItem &item : items) {
        codec::append_cbor_head(to, CborMajor::kArray, 2);
        codec::append_cbor_head(to, CborMajor::kUnsigned, item.id);
        append(to, item.value);
    }
}

void append_eid(const EidView &eid, Bytes &to) {
    const std::size_t begin = to.size();
    to.resize(begin + eid_bound(eid));
    to.resize(static_cast<std::size_t>(write_eid(&to[begin], eid) - to.data()));
}

}  // namespace

std::size_t SecurityBlock::index_of(std::uint64_t number) const {
    const auto found = std::ranges::find(targets, number, &SecurityTarget::number);
    return static_cast<std::size_t>(found - targets.begin());
}

Verdict read_security_block(ByteView data, SecurityBlock &block) {
    CborReader reader(data);
    if (const Verdict read = read_targets(reader, block.targets); !read) return read;
    std::uint64_t flags = 0;
    if (!reader.uint(block.context) || !reader.uint(flags) || !read_eid(reader, block.source))
        return fail(Fault::kBadBlock);
    if (const Verdict read = read_parameters(reader, flags, block); !read) return read;
    if (const Verdict read = read_results(reader, block.targets); !read) return read;
    if (!reader.done()) return fail(Fault::kBadBlock);
    return {};
}

void write_security_block(const SecurityBlock &block, Bytes &to) {
    codec::append_cbor_head(to, CborMajor::kArray, block.targets.size());
    for (const SecurityTarget &target : block.targets)
        codec::append_cbor_head(to, CborMajor::kUnsigned, target.number);
    codec::append_cbor_head(to, CborMajor::kUnsigned, block.context);
    codec::append_cbor_head(to, CborMajor::kUnsigned,
                            block.parameters.empty() ? 0 : kParametersPresent);
    append_eid(block.source, to);
    if (!block.parameters.empty()) write_items(block.parameters, to);
    codec::append_cbor_head(to, CborMajor::kArray, block.targets.size());
    for (const SecurityTarget &target : block.targets) write_items(target.results, to);
}

}  // namespace farlink::bp::bpsec
