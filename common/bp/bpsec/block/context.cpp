// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/block/context.hpp"

#include <limits>

#include "common/base/invariant.hpp"
#include "common/codec/cbor.hpp"

namespace farlink::bp::bpsec {
namespace {

using codec::CborMajor;
using codec::CborReader;

std::optional<std::uint64_t> number_of(const SecurityItem &item) {
    CborReader reader(item.value);
    std::uint64_t value = 0;
    if (!reader.uint(value) || !reader.done()) return std::nullopt;
    return value;
}

std::optional<ByteView> octets_of(const SecurityItem &item) {
    CborReader reader(item.value);
    ByteView value;
    if (!reader.string(CborMajor::kBytes, value) || !reader.done()) return std::nullopt;
    return value;
}

/// Sections 3.3.3 and 4.3.4: a field of 16 bits, of which only the assigned ones count.
bool take_scope(const SecurityItem &item, Scope &scope) {
    const auto value = number_of(item);
    if (!value || *value > std::numeric_limits<Scope>::max()) return false;
    scope = static_cast<Scope>(*value & kWholeScope);
    return true;
}

bool take_octets(const SecurityItem &item, std::optional<ByteView> &octets) {
    octets = octets_of(item);
    return octets.has_value();
}

bool take_variant(const SecurityItem &item, HashVariant &variant) {
    const auto value = number_of(item);
    if (!value || *value < 5 || *value > 7) return false;
    variant = static_cast<HashVariant>(*value);
    return true;
}

bool take_variant(const SecurityItem &item, CipherVariant &variant) {
    const auto value = number_of(item);
    if (!value || (*value != 1 && *value != 3)) return false;
    variant = static_cast<CipherVariant>(*value);
    return true;
}

bool take_iv(const SecurityItem &item, ByteView &iv) {
    const auto value = octets_of(item);
    if (!value || value->size() < kLeastIvBytes || value->size() > kMostIvBytes) return false;
    iv = *value;
    return true;
}

/// Calls `take(item)` once for each id from 1 to `most`.
template <class Take>
Verdict take_each(const SecurityBlock &block, std::uint64_t most, Take take) {
    unsigned seen = 0;
    for (const SecurityItem &item : block.parameters) {
        if (item.id == 0 || item.id > most) return fail(Fault::kUnknownParameter);
        const unsigned bit = 1U << item.id;
        if ((seen & bit) != 0) return fail(Fault::kRepeatedItem);
        seen |= bit;
        if (!take(item)) return fail(Fault::kBadParameter);
    }
    return {};
}

/// The one result of both contexts; empty without one.
Result<std::optional<ByteView>, Fault> only_result(const SecurityTarget &target, std::size_t size) {
    std::optional<ByteView> value;
    for (const SecurityItem &item : target.results) {
        if (item.id != kOnlyResult) return fail(Fault::kUnknownResult);
        if (value) return fail(Fault::kRepeatedItem);
        value = octets_of(item);
        if (!value || value->size() != size) return fail(Fault::kBadResult);
    }
    return value;
}

}  // namespace

Result<IntegrityParameters, Fault> integrity_parameters(const SecurityBlock &block) {
    if (block.context != kHmacSha2) return fail(Fault::kUnknownContext);
    IntegrityParameters parameters;
    const Verdict taken = take_each(block, kIntegrityScope, [&](const SecurityItem &item) {
        if (item.id == kShaVariant) return take_variant(item, parameters.variant);
        if (item.id == kIntegrityWrappedKey) return take_octets(item, parameters.wrapped_key);
        return take_scope(item, parameters.scope);
    });
    if (!taken) return fail(taken.error());
    return parameters;
}

Result<ConfidentialityParameters, Fault> confidentiality_parameters(const SecurityBlock &block) {
    if (block.context != kAesGcm) return fail(Fault::kUnknownContext);
    ConfidentialityParameters parameters;
    const Verdict taken = take_each(block, kAadScope, [&](const SecurityItem &item) {
        if (item.id == kInitializationVector) return take_iv(item, parameters.iv);
        if (item.id == kAesVariant) return take_variant(item, parameters.variant);
        if (item.id == kCipherWrappedKey) return take_octets(item, parameters.wrapped_key);
        return take_scope(item, parameters.scope);
    });
    if (!taken) return fail(taken.error());
    // Section 4.8.2: a lack of it may be treated as an error.
    if (parameters.iv.empty()) return fail(Fault::kParameterMissing);
    return parameters;
}

Result<ByteView, Fault> integrity_value(const SecurityTarget &target, HashVariant variant) {
    const auto value = only_result(target, hash_bytes(variant));
    if (!value) return fail(value.error());
    if (!*value) return fail(Fault::kResultMissing);
    return **value;
}

Result<ByteView, Fault> authentication_tag(const SecurityTarget &target) {
    const auto value = only_result(target, kTagBytes);
    if (!value) return fail(value.error());
    return value->value_or(ByteView{});
}

Scope scope_or_whole(const SecurityBlock &block) {
    if (block.context == kHmacSha2)
        if (const auto parameters = integrity_parameters(block)) return parameters->scope;
    if (block.context == kAesGcm)
        if (const auto parameters = confidentiality_parameters(block)) return parameters->scope;
    return kWholeScope;
}

SecurityItem ItemWriter::number(std::uint64_t id, std::uint64_t value) {
    const std::size_t begin = memory_.size();
    FARLINK_INVARIANT(memory_.capacity() - begin >= bound(0));
    codec::append_cbor_head(memory_, CborMajor::kUnsigned, value);
    return {id, ByteView(memory_).subspan(begin)};
}

SecurityItem ItemWriter::octets(std::uint64_t id, ByteView value) {
    const std::size_t begin = memory_.size();
    FARLINK_INVARIANT(memory_.capacity() - begin >= bound(value.size()));
    codec::append_cbor_head(memory_, CborMajor::kBytes, value.size());
    append(memory_, value);
    return {id, ByteView(memory_).subspan(begin)};
}

}  // namespace farlink::bp::bpsec
