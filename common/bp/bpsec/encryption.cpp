// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "common/bp/bpsec/confidentiality.hpp"
#include "common/bp/bpsec/new_block.hpp"
#include "common/bp/bpsec/transform.hpp"

namespace farlink::bp::bpsec {
namespace {

/// Blocks of a bundle beyond which none is added; far below what has numbers.
constexpr std::size_t kMostParts = 200;

using Numbers = std::span<const std::uint64_t>;
using Iv = std::array<std::uint8_t, kIvBytes>;

bool contains(Numbers numbers, std::uint64_t number) {
    return std::ranges::find(numbers, number) != numbers.end();
}

std::size_t count_shared(const SecurityBlock &block, Numbers targets) {
    return static_cast<std::size_t>(std::ranges::count_if(
        block.targets,
        [&](const SecurityTarget &target) { return contains(targets, target.number); }));
}

/// RFC 9172 sections 3.2 and 3.8: what may be encrypted.
Verdict check_target_to_encrypt(const SecuredBundle &bundle, std::uint64_t target,
                                Numbers targets) {
    if (target == 0) return fail(Fault::kTargetIsPrimary);
    const Part *const part = bundle.find(target);
    if (part == nullptr) return fail(Fault::kTargetMissing);
    if (part->is_confidentiality()) return fail(Fault::kTargetIsSecurity);
    if (part->encrypted) return fail(Fault::kServiceTwice);
    if (!part->is_integrity()) return {};
    const SecurityPart *const bib = bundle.find_security(target);
    const bool all =
        bib != nullptr && count_shared(bib->block, targets) == bib->block.targets.size();
    return all ? Verdict() : Verdict(fail(Fault::kSharesNoTarget));
}

/// What has to be done about the BIBs that share a target (section 3.9).
struct BibPlan {
    std::vector<std::uint64_t> whole;    ///< numbers of those that are encrypted as they are
    std::vector<std::uint64_t> divided;  ///< and of those that have other targets as well
};

/// A value in the new BIB has another block number, which a scope with the security header covers.
bool can_be_divided(const SecurityBlock &block) {
    return block.context == kHmacSha2 && (scope_or_whole(block) & kScopeSecurity) == 0;
}

Verdict plan_bibs(const SecuredBundle &bundle, Numbers targets, BibPlan &plan) {
    for (const SecurityPart &security : bundle.security()) {
        if (security.service != Service::kIntegrity || contains(targets, security.number)) continue;
        const std::size_t shared = count_shared(security.block, targets);
        if (shared == 0) continue;
        if (shared == security.block.targets.size()) {
            plan.whole.push_back(security.number);
        } else {
            if (!can_be_divided(security.block)) return fail(Fault::kSplitBreaksSignature);
            plan.divided.push_back(security.number);
        }
    }
    return {};
}

/// Moves the results of `targets` to a new BIB and returns its number.
Result<std::uint64_t, Fault> divide(SecuredBundle &bundle, std::uint64_t number, Numbers targets) {
    SecurityBlock moved = bundle.find_security(number)->block;
    std::erase_if(moved.targets,
                  [&](const SecurityTarget &target) { return !contains(targets, target.number); });
    for (const SecurityTarget &target : moved.targets)
        bundle.remove({Service::kIntegrity, number, target.number});
    const BlockHeader header{v7::kIntegrityBlock, bundle.lowest_free_number(),
                             bundle.find(number)->flags};
    if (const Verdict added = add_new_block(bundle, header, moved, Place::kFirst); !added)
        return fail(added.error());
    return header.number;
}

/// One encryption: the request, its key, and the memory for the payload.
class Encryption {
public:
    Encryption(SecuredBundle &bundle, const EncryptRequest &request, PayloadRoom room)
        : bundle_(bundle), request_(request), room_(room) {}

    [[nodiscard]] Verdict prepare(WorkingKey &key, IvSource &ivs, RandomSource &random) {
        if (const Verdict good = check(); !good) return good;
        if (const Verdict planned = plan_bibs(bundle_, request_.targets, plan_); !planned)
            return planned;
        const auto gcm = is_wrapping(key.algorithm())
                             ? key.session_gcm(request_.variant, random, wrapped_)
                             : key.gcm(request_.variant, std::nullopt);
        if (!gcm) return fail(gcm.error());
        gcm_ = *gcm;
        return take_ivs(ivs);
    }

    [[nodiscard]] Verdict run() {
        std::vector<std::uint64_t> targets(request_.targets.begin(), request_.targets.end());
        targets.insert(targets.end(), plan_.whole.begin(), plan_.whole.end());
        for (const std::uint64_t bib : plan_.divided) {
            const auto made = divide(bundle_, bib, request_.targets);
            if (!made) return fail(made.error());
            targets.push_back(*made);
        }
        if (request_.one_block) return add_bcb(targets, ivs_[0], request_.block);
        NewBlock block = request_.block;
        for (std::size_t i = 0; i < targets.size(); ++i) {
            if (const Verdict added = add_bcb(Numbers(&targets[i], 1), ivs_[i], block); !added)
                return added;
            block.number = 0;
        }
        return {};
    }

private:
    [[nodiscard]] Verdict check() const {
        if (const Verdict possible = check_new_block(bundle_, request_.targets, request_.block);
            !possible)
            return possible;
        if ((request_.block.flags & v7::kDiscardBlockIfUnprocessable) != 0)
            return fail(Fault::kMayBeDiscarded);
        for (const std::uint64_t target : request_.targets)
            if (const Verdict allowed = check_target_to_encrypt(bundle_, target, request_.targets);
                !allowed)
                return allowed;
        if (contains(request_.targets, 1) && !room_.empty() &&
            room_bytes() < bundle_.payload_size())
            return fail(Fault::kNoRoom);
        return {};
    }
    [[nodiscard]] std::uint64_t room_bytes() const {
        std::uint64_t size = 0;
        for (const MutableBytes piece : room_) size += piece.size();
        return size;
    }

    /// All of them in front of the first change.
    [[nodiscard]] Verdict take_ivs(IvSource &ivs) {
        const std::size_t blocks =
            request_.one_block
                ? 1
                : request_.targets.size() + plan_.whole.size() + plan_.divided.size();
        if (bundle_.parts().size() + blocks + plan_.divided.size() > kMostParts)
            return fail(Fault::kNoNumber);
        ivs_.resize(blocks);
        for (Iv &iv : ivs_)
            if (!ivs.next(iv)) return fail(Fault::kNoIv);
        return {};
    }

    [[nodiscard]] Verdict add_bcb(Numbers targets, const Iv &iv, const NewBlock &wanted) {
        BlockHeader header{v7::kConfidentialityBlock, number_for(bundle_, wanted), wanted.flags};
        if (contains(targets, 1)) header.flags |= v7::kReplicateBlock;
        Bytes memory;
        memory.reserve(ItemWriter::bound(kIvBytes) + ItemWriter::bound(wrapped_.size()) +
                       (targets.size() + 2) * ItemWriter::bound(kTagBytes));
        ItemWriter items(memory);
        SecurityBlock block;
        block.context = kAesGcm;
        block.source = wanted.source;
        add_parameters(iv, items, block.parameters);
        for (const std::uint64_t target : targets) {
            block.targets.push_back({target, {}});
            std::uint8_t tag[kTagBytes];
            if (!encrypt_target(target, header, iv, tag)) return fail(Fault::kCryptography);
            if (!request_.tag_in_target)
                block.targets.back().results.push_back(items.octets(kOnlyResult, tag));
        }
        if (const Verdict added = add_new_block(bundle_, header, block, wanted.place); !added)
            return added;
        for (const std::uint64_t target : targets) bundle_.set_encrypted(target, true);
        return {};
    }

    /// In the order of their ids.
    void add_parameters(const Iv &iv, ItemWriter &items, std::vector<SecurityItem> &to) const {
        const ConfidentialityParameters defaults;
        const bool all = request_.block.write_defaults;
        to.push_back(items.octets(kInitializationVector, iv));
        if (all || request_.variant != defaults.variant)
            to.push_back(items.number(kAesVariant, static_cast<std::uint64_t>(request_.variant)));
        if (!wrapped_.empty()) to.push_back(items.octets(kCipherWrappedKey, wrapped_));
        if (all || request_.block.scope != defaults.scope)
            to.push_back(items.number(kAadScope, request_.block.scope));
    }

    [[nodiscard]] bool encrypt_target(std::uint64_t target, const BlockHeader &header, const Iv &iv,
                                      MutableBytes tag) {
        bundle_.set_crc(target, v7::CrcType::kNone);
        gcm_->begin(Direction::kEncrypt, iv);
        add_scope(bundle_, request_.block.scope, target, header,
                  [this](ByteView octets) { gcm_->add_aad(octets); });
        return target == 1 ? encrypt_payload(tag) : encrypt_data(target, tag);
    }

    [[nodiscard]] bool encrypt_payload(MutableBytes tag) {
        MutableBytes own;
        if (room_.empty()) {
            own = bundle_.own(Bytes(static_cast<std::size_t>(bundle_.payload_size())));
            room_ = {&own, 1};
        }
        std::vector<ByteView> made;
        transform_pieces(*gcm_, bundle_.payload(), bundle_.payload_size(), room_, made);
        const bool good = gcm_->finish(tag);
        if (request_.tag_in_target) made.emplace_back(bundle_.own(Bytes(tag.begin(), tag.end())));
        bundle_.set_payload(std::move(made));
        room_ = {};
        return good;
    }

    [[nodiscard]] bool encrypt_data(std::uint64_t target, MutableBytes tag) {
        const ByteView plain = bundle_.find(target)->data;
        Bytes &data = bundle_.own(Bytes(plain.size()));
        gcm_->transform(plain, data.data());
        const bool good = gcm_->finish(tag);
        if (request_.tag_in_target) append(data, tag);
        bundle_.set_data(target, data);
        return good;
    }

    SecuredBundle &bundle_;
    const EncryptRequest &request_;
    PayloadRoom room_;
    BibPlan plan_;
    Bytes wrapped_;
    Gcm *gcm_ = nullptr;
    std::vector<Iv> ivs_;
};

}  // namespace

Verdict encrypt(SecuredBundle &bundle, const EncryptRequest &request, WorkingKey &key,
                IvSource &ivs, RandomSource &random, PayloadRoom room) {
    Encryption encryption(bundle, request, room);
    if (const Verdict ready = encryption.prepare(key, ivs, random); !ready) return ready;
    return encryption.run();
}

}  // namespace farlink::bp::bpsec
