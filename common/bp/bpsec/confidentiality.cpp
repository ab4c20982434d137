// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/confidentiality.hpp"

#include <algorithm>
#include <array>

#include "common/base/invariant.hpp"
#include "common/bp/bpsec/scope_input.hpp"
#include "common/bp/bpsec/transform.hpp"

namespace farlink::bp::bpsec {
namespace {

/// A received operation, ready for its cipher.
struct Sealed {
    ByteView iv;
    Scope scope = 0;
    BlockHeader header;
    const Part *target = nullptr;
    std::uint64_t ciphertext_size = 0;  ///< of the target's data, without a tag behind it
    std::array<std::uint8_t, kTagBytes> tag{};
    Gcm *gcm = nullptr;
};

std::uint64_t size_of(const SecuredBundle &bundle, const Part &part) {
    return part.is_payload() ? bundle.payload_size() : part.data.size();
}

std::span<const ByteView> pieces_of(const SecuredBundle &bundle, const Part &part) {
    return part.is_payload() ? bundle.payload() : std::span<const ByteView>(&part.data, 1);
}

/// RFC 9173 section 4.4.1: the tag is a result, or lies behind the ciphertext.
Verdict take_tag(const SecuredBundle &bundle, const SecurityTarget &target, Sealed &sealed) {
    const auto tag = authentication_tag(target);
    if (!tag) return fail(tag.error());
    sealed.ciphertext_size = size_of(bundle, *sealed.target);
    if (!tag->empty()) {
        std::ranges::copy(*tag, sealed.tag.begin());
        return {};
    }
    if (sealed.ciphertext_size < kTagBytes) return fail(Fault::kResultMissing);
    sealed.ciphertext_size -= kTagBytes;
    auto to = sealed.tag.begin();
    for_each_piece(pieces_of(bundle, *sealed.target), sealed.ciphertext_size,
                   sealed.ciphertext_size + kTagBytes,
                   [&](ByteView piece) { to = std::ranges::copy(piece, to).out; });
    return {};
}

Result<Sealed, Fault> open_operation(const SecuredBundle &bundle, const Operation &operation,
                                     WorkingKey &key) {
    // RFC 9172 section 5.2: its payload is a part of the ciphertext, without the tag of the whole.
    if (bundle.is_fragment()) return fail(Fault::kIsFragment);
    const SecurityPart *const security = bundle.find(operation);
    if (security == nullptr || operation.service != Service::kConfidentiality)
        return fail(Fault::kNoOperation);
    const auto parameters = confidentiality_parameters(security->block);
    if (!parameters) return fail(parameters.error());
    Sealed sealed;
    sealed.iv = parameters->iv;
    sealed.scope = parameters->scope;
    sealed.header = header_of(*bundle.find(operation.block));
    sealed.target = bundle.find(operation.target);
    const std::size_t index = security->block.index_of(operation.target);
    if (const Verdict taken = take_tag(bundle, security->block.targets[index], sealed); !taken)
        return fail(taken.error());
    const auto gcm = key.gcm(parameters->variant, parameters->wrapped_key);
    if (!gcm) return fail(gcm.error());
    sealed.gcm = *gcm;
    return sealed;
}

void begin(const SecuredBundle &bundle, const Sealed &sealed) {
    sealed.gcm->begin(Direction::kDecrypt, sealed.iv);
    add_scope(bundle, sealed.scope, sealed.target->number, sealed.header,
              [&](ByteView octets) { sealed.gcm->add_aad(octets); });
}

Verdict end(const Sealed &sealed) {
    switch (sealed.gcm->finish_with(sealed.tag)) {
        case Gcm::Match::kYes:
            return {};
        case Gcm::Match::kNo:
            return fail(Fault::kMismatch);
        default:
            return fail(Fault::kCryptography);
    }
}

/// RFC 9172 section 3.8: a BIB is encrypted only beside one of its targets.
Verdict check_decrypted_bib(const SecuredBundle &bundle, ByteView data) {
    SecurityBlock block;
    if (const Verdict read = read_security_block(data, block); !read) return read;
    const bool shares = std::ranges::any_of(block.targets, [&](const SecurityTarget &target) {
        const Part *const part = bundle.find(target.number);
        return part != nullptr && part->was_encrypted;
    });
    return shares ? Verdict() : Verdict(fail(Fault::kSharesNoTarget));
}

/// Wipes what came out before the tag was found wrong.
void forget(PayloadRoom room) {
    for (const MutableBytes piece : room) wipe(piece);
}

Verdict decrypt_payload(SecuredBundle &bundle, const Sealed &sealed, PayloadRoom room) {
    MutableBytes own;
    if (room.empty()) {
        own = bundle.own(Bytes(static_cast<std::size_t>(sealed.ciphertext_size)));
        room = {&own, 1};
    }
    std::uint64_t size = 0;
    for (const MutableBytes piece : room) size += piece.size();
    if (size < sealed.ciphertext_size) return fail(Fault::kNoRoom);
    std::vector<ByteView> plain;
    begin(bundle, sealed);
    transform_pieces(*sealed.gcm, bundle.payload(), sealed.ciphertext_size, room, plain);
    if (const Verdict good = end(sealed); !good) {
        forget(room);
        return good;
    }
    bundle.set_payload(std::move(plain));
    return {};
}

Verdict decrypt_data(SecuredBundle &bundle, const Sealed &sealed) {
    Bytes &plain = bundle.own(Bytes(static_cast<std::size_t>(sealed.ciphertext_size)));
    const std::uint64_t number = sealed.target->number;
    const bool is_bib = sealed.target->is_integrity();
    begin(bundle, sealed);
    sealed.gcm->transform(sealed.target->data.first(plain.size()), plain.data());
    Verdict good = end(sealed);
    if (good && is_bib) good = check_decrypted_bib(bundle, plain);
    if (good && is_bib) good = bundle.add_security(number, plain);
    if (!good) {
        wipe(plain);
        return good;
    }
    bundle.set_data(number, plain);
    return {};
}

}  // namespace

Verdict authenticate(const SecuredBundle &bundle, const Operation &operation, WorkingKey &key) {
    const auto sealed = open_operation(bundle, operation, key);
    if (!sealed) return fail(sealed.error());
    begin(bundle, *sealed);
    transform_and_drop(*sealed->gcm, pieces_of(bundle, *sealed->target), sealed->ciphertext_size);
    return end(*sealed);
}

Verdict decrypt(SecuredBundle &bundle, const Operation &operation, WorkingKey &key, v7::CrcType crc,
                PayloadRoom room) {
    const auto sealed = open_operation(bundle, operation, key);
    if (!sealed) return fail(sealed.error());
    const Verdict decrypted = sealed->target->is_payload() ? decrypt_payload(bundle, *sealed, room)
                                                           : decrypt_data(bundle, *sealed);
    if (!decrypted) return decrypted;
    // The CRC that a target has beside its ciphertext is not that of the plaintext.
    end_operation(bundle, operation, crc);
    return {};
}

}  // namespace farlink::bp::bpsec
