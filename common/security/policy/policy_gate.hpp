// SPDX-License-Identifier: Apache-2.0
// The rules of BPSec with keys at hand: verifies, accepts and adds security operations of each
// bundle, and decides what becomes of one that fails.
// Owned by IngressCore as its BundleGate; one thread. A reload makes another one, so that no bundle
// is judged by two sets of rules.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "common/bp/bpsec/confidentiality.hpp"
#include "common/security/gate/bundle_gate.hpp"
#include "common/security/keys.hpp"
#include "common/security/policy/rule_index.hpp"

namespace farlink::security {

/// Where the initialization vectors of a key come from.
class IvSources {
public:
    virtual ~IvSources() = default;
    /// Null when there are none for the key with that id.
    [[nodiscard]] virtual bp::bpsec::IvSource *source_for(const std::string &key) = 0;
};

/// What the rules need beside the keys. Both outlive the gate.
struct GateSources {
    bp::bpsec::RandomSource &random;
    IvSources &ivs;
};

/// What is wrong with the rules and these keys together, a line for each error: "security.rules[1]:
/// ...".
[[nodiscard]] std::vector<std::string> check_keys(const config::SecurityConfig &security,
                                                  const std::vector<Key> &keys);

class PolicyGate final : public BundleGate {
public:
    /// `security` has been checked; keys that are missing make operations fail.
    PolicyGate(const config::SecurityConfig &security, NodeNumber node,
               const std::vector<Key> &keys, GateSources sources);

    [[nodiscard]] GateVerdict judge(const bp::BundleView &view, std::span<const ByteView> slices,
                                    const Passing &passing) override;
    [[nodiscard]] GateVerdict judge_head(const bp::BundleView &view,
                                         const Passing &passing) override;
    [[nodiscard]] ByteView head() const override { return head_; }
    [[nodiscard]] ByteView tail() const override { return tail_; }
    [[nodiscard]] std::span<const ByteView> payload() const override { return bundle_.payload(); }
    [[nodiscard]] bool has_new_payload() const override { return new_payload_; }

private:
    struct Rule {
        std::string name;
        config::SecurityRole role;
        config::SecurityContext context;
        std::vector<std::uint64_t> types;  ///< of the targets; 0: the primary block
        std::optional<std::uint32_t> variant;
        std::vector<std::string> keys;
        std::optional<bp::EidPattern> security_source;
        bool required;
        config::SecurityAction action;

        [[nodiscard]] bp::bpsec::Service service() const {
            return context == config::SecurityContext::kIntegrity
                       ? bp::bpsec::Service::kIntegrity
                       : bp::bpsec::Service::kConfidentiality;
        }
    };
    /// An operation, or the lack of one, that does not satisfy a rule.
    struct Shortfall {
        bp::bpsec::Fault fault{};
        std::uint64_t target = 0;
        const bp::bpsec::Operation *operation = nullptr;
    };
    using Order = std::array<std::uint32_t, GateVerdict::kMostFailures>;

    void begin(const bp::BundleView &view, const Passing &passing);
    [[nodiscard]] std::span<const std::uint32_t> rules_in_order(const FoundRules &found,
                                                                const Passing &passing,
                                                                Order &order) const;
    void drop_unmatched(const Passing &passing);
    void apply(std::uint32_t place, std::span<const ByteView> slices);
    void collect_targets(std::uint32_t place, bp::bpsec::Fault missing);
    void check(std::uint32_t place);
    void check_target(std::uint32_t place, std::uint64_t target);
    void check_hidden_signatures(std::uint32_t place);
    void check_operation(std::uint32_t place, const bp::bpsec::Operation &operation);
    void add(std::uint32_t place);
    void collect_unprotected(std::uint32_t place);
    [[nodiscard]] bp::bpsec::Verdict add_operations(const Rule &rule);
    [[nodiscard]] bp::bpsec::Verdict sign(const Rule &rule, bp::bpsec::WorkingKey &key);
    [[nodiscard]] bp::bpsec::Verdict encrypt(const Rule &rule, const std::string &id,
                                             bp::bpsec::WorkingKey &key);
    void fall_short(std::uint32_t place, const Shortfall &shortfall);
    void strip_operation(const bp::bpsec::Operation &operation);
    void strip_target(std::uint64_t target);
    void note_failure(std::size_t place, std::string_view name, bp::bpsec::Fault fault);
    void drop();
    void collect_blocks(std::uint64_t type, std::vector<std::uint64_t> &to) const;
    [[nodiscard]] std::optional<bp::bpsec::Operation> find_operation(const Rule &rule,
                                                                     std::uint64_t target) const;
    [[nodiscard]] bool has_variant(const Rule &rule, const bp::bpsec::Operation &operation) const;
    [[nodiscard]] bool dropped() const { return verdict_.passage == Passage::kDropped; }
    void note_change() {
        if (!dropped()) verdict_.passage = Passage::kChanged;
    }

    const NodeNumber node_;
    const config::SecurityDefault fallback_;
    RuleIndex index_;
    std::vector<Rule> rules_;
    std::vector<bp::EidPattern> report_to_;
    KeyRing keys_;
    GateSources sources_;

    // Of the bundle that is judged.
    GateVerdict verdict_;
    const bp::BundleView *view_ = nullptr;
    DtnTime now_ = 0;
    bool in_pieces_ = false;
    bool read_ = false;
    bool new_payload_ = false;
    bp::bpsec::SecuredBundle bundle_;
    std::vector<std::uint64_t> numbers_;
    Bytes head_;
    Bytes tail_;
};

}  // namespace farlink::security
