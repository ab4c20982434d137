// SPDX-License-Identifier: Apache-2.0
#include "common/security/policy/policy_gate.hpp"

#include <algorithm>
#include <limits>

#include "common/bp/bpsec/block/context.hpp"

namespace farlink::security {
namespace {

using bp::bpsec::Fault;
using bp::bpsec::Operation;
using bp::bpsec::Service;
using bp::bpsec::Verdict;
using config::SecurityAction;
using config::SecurityContext;
using config::SecurityDirection;
using config::SecurityRole;

constexpr std::uint8_t kBpv7 = 7;
constexpr std::uint64_t kPrimary = 0;
constexpr std::uint64_t kPayload = 1;
/// Of a block that the bundle lacks.
constexpr std::uint64_t kNoBlock = std::numeric_limits<std::uint64_t>::max();
/// What a block gets that no security operation protects any more.
constexpr auto kCrc = bp::v7::CrcType::kCrc32c;

std::vector<std::uint64_t> types_of(const config::SecurityRule &rule) {
    std::vector<std::uint64_t> types;
    for (const std::string &target : rule.targets)
        if (const auto type = config::security_target(target)) types.push_back(*type);
    // The primary block is signed first: without its CRC it is another block for the others.
    std::ranges::sort(types);
    return types;
}

std::uint32_t bits_of(bp::bpsec::HashVariant variant) {
    return static_cast<std::uint32_t>(8 * bp::bpsec::hash_bytes(variant));
}
std::uint32_t bits_of(bp::bpsec::CipherVariant variant) {
    return static_cast<std::uint32_t>(8 * bp::bpsec::cipher_key_bytes(variant));
}

bp::bpsec::HashVariant hash_variant(bp::bpsec::KeyAlgorithm algorithm,
                                    std::optional<std::uint32_t> bits) {
    using bp::bpsec::HashVariant;
    for (const HashVariant variant : {HashVariant::kSha384, HashVariant::kSha512})
        if (algorithm == bp::bpsec::algorithm_of(variant) ||
            (bp::bpsec::is_wrapping(algorithm) && bits == bits_of(variant)))
            return variant;
    return HashVariant::kSha256;
}

bp::bpsec::CipherVariant cipher_variant(bp::bpsec::KeyAlgorithm algorithm,
                                        std::optional<std::uint32_t> bits) {
    using bp::bpsec::CipherVariant;
    const bool small = algorithm == bp::bpsec::KeyAlgorithm::kA128Gcm ||
                       (bp::bpsec::is_wrapping(algorithm) && bits == 128);
    return small ? CipherVariant::kA128Gcm : CipherVariant::kA256Gcm;
}

}  // namespace

PolicyGate::PolicyGate(const config::SecurityConfig &security, NodeNumber node,
                       const std::vector<Key> &keys, GateSources sources)
    : node_(node),
      fallback_(security.fallback),
      index_(security.rules),
      keys_(keys),
      sources_(sources) {
    for (const config::SecurityRule &rule : security.rules)
        rules_.push_back(
            {rule.name, rule.role, rule.context, types_of(rule), rule.variant, rule.keys,
             rule.security_source.empty() ? std::nullopt
                                          : bp::EidPattern::parse(rule.security_source),
             rule.required, rule.on_failure});
    for (const std::string &text : security.report_to)
        if (auto pattern = bp::EidPattern::parse(text)) report_to_.push_back(std::move(*pattern));
}

// ---- the bundle as a whole

GateVerdict PolicyGate::judge(const bp::BundleView &view, std::span<const ByteView> slices,
                              const Passing &passing) {
    begin(view, passing);
    const FoundRules found = index_.find(view.source, view.destination, passing.link);
    if (found.none()) {
        drop_unmatched(passing);
        return verdict_;
    }
    Order order{};
    for (const std::uint32_t place : rules_in_order(found, passing, order)) {
        if (dropped()) break;
        apply(place, slices);
    }
    if (verdict_.passage == Passage::kChanged) bundle_.render(head_, tail_);
    return verdict_;
}

GateVerdict PolicyGate::judge_head(const bp::BundleView &view, const Passing &passing) {
    begin(view, passing);
    in_pieces_ = true;
    const FoundRules found = index_.find(view.source, view.destination, passing.link);
    if (found.none()) drop_unmatched(passing);
    Order order{};
    for (const std::uint32_t place : rules_in_order(found, passing, order))
        if (!dropped()) apply(place, {});
    return verdict_;
}

void PolicyGate::begin(const bp::BundleView &view, const Passing &passing) {
    verdict_ = {};
    view_ = &view;
    now_ = passing.now;
    in_pieces_ = read_ = new_payload_ = false;
}

// A bundle of this node is in no one else's name, so the default is about those that arrive.
void PolicyGate::drop_unmatched(const Passing &passing) {
    if (passing.made_here || fallback_ != config::SecurityDefault::kDrop) return;
    note_failure(kNoRule, {}, Fault::kNoOperation);
    drop();
}

// What was encrypted last is decrypted first (RFC 9172 section 5.1).
std::span<const std::uint32_t> PolicyGate::rules_in_order(const FoundRules &found,
                                                          const Passing &passing,
                                                          Order &order) const {
    std::size_t count = 0;
    const auto put = [&](std::uint32_t place) {
        if (place != FoundRules::kNone) order[count++] = place;
    };
    if (!passing.made_here) {
        put(found.of(SecurityDirection::kIn, SecurityContext::kConfidentiality));
        put(found.of(SecurityDirection::kIn, SecurityContext::kIntegrity));
    }
    if (!passing.stays) {
        const std::uint32_t sealing =
            found.of(SecurityDirection::kOut, SecurityContext::kConfidentiality);
        const bool last =
            sealing != FoundRules::kNone && rules_[sealing].role == SecurityRole::kSource;
        if (!last) put(sealing);
        put(found.of(SecurityDirection::kOut, SecurityContext::kIntegrity));
        if (last) put(sealing);
    }
    return std::span(order).first(count);
}

void PolicyGate::apply(std::uint32_t place, std::span<const ByteView> slices) {
    const Rule &rule = rules_[place];
    // BPv6 has no such blocks, and a part of a bundle is neither checked nor changed.
    if (view_->version != kBpv7 || view_->is_fragment || in_pieces_) {
        const Fault fault = view_->version != kBpv7 ? Fault::kBadBundle : Fault::kIsFragment;
        if (rule.required) fall_short(place, {fault, kPayload});
        return;
    }
    if (!read_) {
        if (const Verdict read = bundle_.read(slices, *view_); !read) {
            // Nothing can be stripped from a bundle that cannot be read.
            note_failure(place, rule.name, read.error());
            if (rule.action != SecurityAction::kKeep) drop();
            return;
        }
        read_ = true;
    }
    if (rule.role == SecurityRole::kSource)
        add(place);
    else
        check(place);
}

// The blocks of the types of the rule, up to one that is required and missing.
void PolicyGate::collect_targets(std::uint32_t place, Fault missing) {
    const Rule &rule = rules_[place];
    numbers_.clear();
    for (const std::uint64_t type : rule.types) {
        const std::size_t before = numbers_.size();
        collect_blocks(type, numbers_);
        if (numbers_.size() == before && rule.required) fall_short(place, {missing, kNoBlock});
        if (dropped()) return;
    }
}

// ---- verifier and acceptor

void PolicyGate::check(std::uint32_t place) {
    const Rule &rule = rules_[place];
    collect_targets(place, Fault::kNoOperation);
    for (std::size_t at = 0; at < numbers_.size() && !dropped(); ++at)
        check_target(place, numbers_[at]);
    if (rule.role == SecurityRole::kAcceptor && rule.service() == Service::kConfidentiality &&
        !dropped())
        check_hidden_signatures(place);
}

void PolicyGate::check_target(std::uint32_t place, std::uint64_t target) {
    const Rule &rule = rules_[place];
    if (const auto operation = find_operation(rule, target))
        check_operation(place, *operation);
    else if (rule.required)
        fall_short(place, {Fault::kNoOperation, target});
}

// A BIB is encrypted where its target is (RFC 9172 section 3.9).
void PolicyGate::check_hidden_signatures(std::uint32_t place) {
    numbers_.clear();
    for (const bp::bpsec::Part &part : bundle_.parts())
        if (part.is_integrity() && part.encrypted) numbers_.push_back(part.number);
    for (std::size_t at = 0; at < numbers_.size() && !dropped(); ++at)
        if (const auto operation = find_operation(rules_[place], numbers_[at]))
            check_operation(place, *operation);
}

void PolicyGate::check_operation(std::uint32_t place, const Operation &operation) {
    const Rule &rule = rules_[place];
    if (!has_variant(rule, operation))
        return fall_short(place, {Fault::kBadParameter, operation.target, &operation});
    const bool accepts = rule.role == SecurityRole::kAcceptor;
    const Verdict verdict = accepts ? keys_.accept(bundle_, operation, now_, kCrc, rule.keys)
                                    : keys_.verify(bundle_, operation, now_, rule.keys);
    if (!verdict) return fall_short(place, {verdict.error(), operation.target, &operation});
    ++verdict_.checked;
    if (!accepts) return;
    note_change();
    if (operation.service == Service::kConfidentiality && operation.target == kPayload)
        new_payload_ = true;
}

std::optional<Operation> PolicyGate::find_operation(const Rule &rule, std::uint64_t target) const {
    for (const bp::bpsec::SecurityPart &part : bundle_.security()) {
        if (part.service != rule.service() || !part.block.has_target(target)) continue;
        // A block of another source is none of those that the rule is about.
        if (rule.security_source && !rule.security_source->matches(part.block.source)) continue;
        return Operation{part.service, part.number, target};
    }
    return std::nullopt;
}

bool PolicyGate::has_variant(const Rule &rule, const Operation &operation) const {
    if (!rule.variant) return true;
    const bp::bpsec::SecurityBlock &block = bundle_.find_security(operation.block)->block;
    if (operation.service == Service::kIntegrity) {
        const auto parameters = bp::bpsec::integrity_parameters(block);
        return !parameters || bits_of(parameters->variant) == *rule.variant;
    }
    const auto parameters = bp::bpsec::confidentiality_parameters(block);
    return !parameters || bits_of(parameters->variant) == *rule.variant;
}

void PolicyGate::collect_blocks(std::uint64_t type, std::vector<std::uint64_t> &to) const {
    if (type == kPrimary) return to.push_back(kPrimary);
    for (const bp::bpsec::Part &part : bundle_.parts())
        if (part.type == type) to.push_back(part.number);
}

// ---- source

void PolicyGate::add(std::uint32_t place) {
    const Rule &rule = rules_[place];
    collect_unprotected(place);
    if (dropped() || numbers_.empty()) return;
    if (const Verdict added = add_operations(rule); !added)
        return fall_short(place, {added.error(), kPayload});
    verdict_.applied += static_cast<std::uint32_t>(numbers_.size());
    note_change();
    if (rule.context == SecurityContext::kConfidentiality &&
        std::ranges::find(numbers_, kPayload) != numbers_.end())
        new_payload_ = true;
}

// A target that has such an operation keeps it: no second one is added (RFC 9172 section 3.2).
void PolicyGate::collect_unprotected(std::uint32_t place) {
    const Service service = rules_[place].service();
    collect_targets(place, Fault::kTargetMissing);
    std::erase_if(numbers_, [&](std::uint64_t number) { return bundle_.has(service, number); });
}

Verdict PolicyGate::add_operations(const Rule &rule) {
    for (const std::string &id : rule.keys) {
        bp::bpsec::WorkingKey *const key = keys_.find(id, kMaySign, now_);
        if (key == nullptr) continue;
        return rule.context == SecurityContext::kIntegrity ? sign(rule, *key)
                                                           : encrypt(rule, id, *key);
    }
    return fail(Fault::kNoKey);
}

// A BIB for each target, so that another rule, or another node, may encrypt some of them.
Verdict PolicyGate::sign(const Rule &rule, bp::bpsec::WorkingKey &key) {
    for (const std::uint64_t target : numbers_) {
        bp::bpsec::SignRequest request{.targets = {&target, 1},
                                       .block = {},
                                       .variant = hash_variant(key.algorithm(), rule.variant)};
        request.block.source = bp::ipn_eid(node_.value(), 0);
        if (const Verdict made = bp::bpsec::sign(bundle_, request, key, sources_.random); !made)
            return made;
    }
    return {};
}

Verdict PolicyGate::encrypt(const Rule &rule, const std::string &id, bp::bpsec::WorkingKey &key) {
    bp::bpsec::IvSource *const ivs = sources_.ivs.source_for(id);
    if (ivs == nullptr) return fail(Fault::kNoIv);
    bp::bpsec::EncryptRequest request;
    request.targets = numbers_;
    request.block.source = bp::ipn_eid(node_.value(), 0);
    request.variant = cipher_variant(key.algorithm(), rule.variant);
    return bp::bpsec::encrypt(bundle_, request, key, *ivs, sources_.random);
}

// ---- what becomes of a bundle that fails

void PolicyGate::fall_short(std::uint32_t place, const Shortfall &shortfall) {
    const Rule &rule = rules_[place];
    note_failure(place, rule.name, shortfall.fault);
    switch (rule.action) {
        case SecurityAction::kKeep:
            return;
        case SecurityAction::kStripOperation:
            if (shortfall.operation != nullptr) strip_operation(*shortfall.operation);
            return;
        case SecurityAction::kStripTarget:
            if (shortfall.target == kPrimary || shortfall.target == kPayload) return drop();
            return strip_target(shortfall.target);
        default:
            return drop();
    }
}

void PolicyGate::strip_operation(const Operation &operation) {
    bp::bpsec::end_operation(bundle_, operation, kCrc);
    note_change();
}

void PolicyGate::strip_target(std::uint64_t target) {
    if (!read_ || bundle_.find(target) == nullptr) return;
    bundle_.discard(target);
    note_change();
}

// The first fault of a rule counts.
void PolicyGate::note_failure(std::size_t place, std::string_view name, Fault fault) {
    if (verdict_.failure_count == verdict_.all_failures.size()) return;
    const auto noted = verdict_.failures();
    if (std::ranges::find(noted, place, &Failure::rule) != noted.end()) return;
    verdict_.all_failures[verdict_.failure_count++] = {place, name, fault};
}

void PolicyGate::drop() {
    verdict_.passage = Passage::kDropped;
    verdict_.reported = std::ranges::any_of(report_to_, [this](const bp::EidPattern &pattern) {
        return pattern.matches(view_->report_to);
    });
}

}  // namespace farlink::security
