// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/integrity.hpp"

#include <algorithm>

#include "common/bp/bpsec/new_block.hpp"
#include "common/bp/bpsec/scope_input.hpp"

namespace farlink::bp::bpsec {
namespace {

/// The integrity value of one target.
bool compute(const SecuredBundle &bundle, Scope scope, std::uint64_t target,
             const BlockHeader &security, Hmac &hmac, MutableBytes value) {
    const auto add = [&hmac](ByteView octets) { hmac.add(octets); };
    hmac.begin();
    add_scope(bundle, scope, target, security, add);
    add_target(bundle, target, add);
    return hmac.finish(value);
}

/// RFC 9172 sections 3.2, 3.7, 3.9: what may be signed.
Verdict check_signable(const SecuredBundle &bundle, std::uint64_t target) {
    if (bundle.has(Service::kIntegrity, target)) return fail(Fault::kServiceTwice);
    if (target == 0) {
        // Without its CRC it is another block for those who cover it already.
        const bool covered = bundle.primary_has_crc() && is_primary_covered(bundle);
        return covered ? Verdict(fail(Fault::kPrimaryCovered)) : Verdict();
    }
    const Part *const part = bundle.find(target);
    if (part == nullptr) return fail(Fault::kTargetMissing);
    if (part->is_integrity() || part->is_confidentiality()) return fail(Fault::kTargetIsSecurity);
    if (part->encrypted) return fail(Fault::kTargetEncrypted);
    return {};
}

Result<Hmac *, Fault> key_for(WorkingKey &key, HashVariant variant, RandomSource &random,
                              Bytes &wrapped) {
    if (is_wrapping(key.algorithm())) return key.session_hmac(variant, random, wrapped);
    return key.hmac(variant, std::nullopt);
}

/// In the order of their ids.
void add_parameters(const SignRequest &request, ByteView wrapped, ItemWriter &items,
                    std::vector<SecurityItem> &to) {
    const IntegrityParameters defaults;
    const bool all = request.block.write_defaults;
    if (all || request.variant != defaults.variant)
        to.push_back(items.number(kShaVariant, static_cast<std::uint64_t>(request.variant)));
    if (!wrapped.empty()) to.push_back(items.octets(kIntegrityWrappedKey, wrapped));
    if (all || request.block.scope != defaults.scope)
        to.push_back(items.number(kIntegrityScope, request.block.scope));
}

}  // namespace

Verdict sign(SecuredBundle &bundle, const SignRequest &request, WorkingKey &key,
             RandomSource &random) {
    if (const Verdict possible = check_new_block(bundle, request.targets, request.block); !possible)
        return possible;
    for (const std::uint64_t target : request.targets)
        if (const Verdict allowed = check_signable(bundle, target); !allowed) return allowed;
    Bytes wrapped;
    const auto hmac = key_for(key, request.variant, random, wrapped);
    if (!hmac) return fail(hmac.error());
    const std::uint64_t number = number_for(bundle, request.block);
    if (number == 0) return fail(Fault::kNoNumber);

    for (const std::uint64_t target : request.targets) bundle.set_crc(target, v7::CrcType::kNone);
    SecurityBlock block;
    block.context = kHmacSha2;
    block.source = request.block.source;
    Bytes memory;
    memory.reserve(ItemWriter::bound(wrapped.size()) +
                   (request.targets.size() + 2) * ItemWriter::bound(kMostHashBytes));
    ItemWriter items(memory);
    add_parameters(request, wrapped, items, block.parameters);
    const BlockHeader header{v7::kIntegrityBlock, number, request.block.flags};
    for (const std::uint64_t target : request.targets) {
        std::uint8_t value[kMostHashBytes];
        const MutableBytes octets(value, hash_bytes(request.variant));
        if (!compute(bundle, request.block.scope, target, header, **hmac, octets))
            return fail(Fault::kCryptography);
        block.targets.push_back({target, {items.octets(kOnlyResult, octets)}});
    }
    return add_new_block(bundle, header, block, request.block.place);
}

Verdict verify(const SecuredBundle &bundle, const Operation &operation, WorkingKey &key) {
    // RFC 9172 section 5.2: only whole bundles are signed, so a fragment's payload is another one.
    if (bundle.is_fragment()) return fail(Fault::kIsFragment);
    const SecurityPart *const security = bundle.find(operation);
    if (security == nullptr || operation.service != Service::kIntegrity)
        return fail(Fault::kNoOperation);
    const Part *const target = bundle.find(operation.target);
    if (target != nullptr && target->encrypted) return fail(Fault::kTargetEncrypted);
    const auto parameters = integrity_parameters(security->block);
    if (!parameters) return fail(parameters.error());
    const auto expected = integrity_value(
        security->block.targets[security->block.index_of(operation.target)], parameters->variant);
    if (!expected) return fail(expected.error());
    const auto hmac = key.hmac(parameters->variant, parameters->wrapped_key);
    if (!hmac) return fail(hmac.error());
    std::uint8_t value[kMostHashBytes];
    const MutableBytes octets(value, hash_bytes(parameters->variant));
    if (!compute(bundle, parameters->scope, operation.target,
                 header_of(*bundle.find(operation.block)), **hmac, octets))
        return fail(Fault::kCryptography);
    if (!equal_in_constant_time(octets, *expected)) return fail(Fault::kMismatch);
    return {};
}

Verdict accept_integrity(SecuredBundle &bundle, const Operation &operation, WorkingKey &key,
                         v7::CrcType crc) {
    const Verdict verdict = verify(bundle, operation, key);
    if (verdict) end_operation(bundle, operation, crc);
    return verdict;
}

void end_operation(SecuredBundle &bundle, const Operation &operation, v7::CrcType crc) {
    bundle.remove(operation);
    if (crc == v7::CrcType::kNone) return;
    // The primary block gives up its CRC to a BIB. With one it is another block for those who cover
    // it still, so it gets its CRC back with the last of them.
    if (bundle.primary_was_signed() && !bundle.primary_has_crc() && !is_primary_covered(bundle))
        bundle.set_crc(0, crc);
    const Part *const part = bundle.find(operation.target);
    if (part == nullptr || part->encrypted || part->is_signed) return;
    if (part->crc_type == v7::CrcType::kNone) bundle.set_crc(operation.target, crc);
}

}  // namespace farlink::bp::bpsec
