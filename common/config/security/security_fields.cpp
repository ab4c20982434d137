// SPDX-License-Identifier: Apache-2.0
#include "common/config/security/security_fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "common/bp/eid/eid_pattern.hpp"

namespace farlink::config {
namespace {

constexpr std::size_t kMostRules = 4096;
constexpr std::string_view kPatterns = "an endpoint or a pattern such as ipn:10.* or dtn://name/**";
constexpr std::uint64_t kPayloadType = 1;
constexpr std::uint64_t kIntegrityType = 11;
constexpr std::uint64_t kConfidentialityType = 12;

/// The enumerator at the place of the value among the choices.
template <class Enum, std::size_t kCount>
Enum named(const std::array<std::string_view, kCount> &names, const Value &value) {
    const auto found = std::ranges::find(names, std::string_view(value.as<std::string>()));
    return static_cast<Enum>(found - names.begin());
}

constexpr std::array<std::string_view, 3> kRoles{"source", "verifier", "acceptor"};
constexpr std::array<std::string_view, 2> kDirections{"in", "out"};
constexpr std::array<std::string_view, 2> kContexts{"bib-hmac-sha2", "bcb-aes-gcm"};
constexpr std::array<std::string_view, 5> kActions{"keep", "stripOperation", "stripTarget",
                                                   "dropBundle", "hold"};
constexpr std::array<std::string_view, 3> kDefaults{"", "pass", "drop"};

template <std::size_t kCount>
std::vector<std::string_view> all_of(const std::array<std::string_view, kCount> &names) {
    return {names.begin(), names.end()};
}

FieldInfo pattern_field(std::string_view key, std::string_view help) {
    return {.key = key, .kind = FieldKind::kText, .help = help};
}

std::vector<Field<SecurityRule>> conditions() {
    return {
        {{.key = "name",
          .kind = FieldKind::kText,
          .required = true,
          .help = "Name of the rule in the log and in `farlinkctl security explain`."},
         &SecurityRule::name},
        {pattern_field("bundleSource",
                       "Source of the bundles: an endpoint, or a pattern of either "
                       "scheme: `ipn:40.1`, `ipn:40.*`, `dtn://mars/**`; default: "
                       "any."),
         &SecurityRule::bundle_source},
        {pattern_field("destination",
                       "Destination of the bundles, in the forms of `bundleSource`; default: any."),
         &SecurityRule::destination},
        {{.key = "link",
          .kind = FieldKind::kInteger,
          .maximum = 0xffff'ffff,
          .help = "Number of the induct or outduct by which the bundles arrive, as `farlinkctl "
                  "links` lists it, also for bundles of a session at an induct; default: any. Only "
                  "with the direction `in`."},
         &SecurityRule::link},
        {{.key = "direction",
          .kind = FieldKind::kChoice,
          .computed_default = "`out` for a source, otherwise `in`",
          .choices = all_of(kDirections),
          .help =
              "`in`: bundles that arrive by a link; `out`: bundles for another node, also those "
              "that this node and its applications make. No rule applies to a bundle from this "
              "node or one of its applications to an application or a service here, also with "
              "`required`: it does not leave the node."},
         [](SecurityRule &to, const Value &value) {
             to.given_direction = named<SecurityDirection>(kDirections, value);
         }},
    };
}

std::vector<Field<SecurityRule>> operations() {
    return {
        {{.key = "role",
          .kind = FieldKind::kChoice,
          .required = true,
          .choices = all_of(kRoles),
          .help = "`source`: adds the operation; `verifier`: checks it and changes nothing; "
                  "`acceptor`: checks and removes it, and decrypts the target."},
         [](SecurityRule &to, const Value &value) {
             to.role = named<SecurityRole>(kRoles, value);
         }},
        {{.key = "context",
          .kind = FieldKind::kChoice,
          .required = true,
          .choices = all_of(kContexts),
          .help = "The security context (RFC 9173): integrity or confidentiality."},
         [](SecurityRule &to, const Value &value) {
             to.context = named<SecurityContext>(kContexts, value);
         }},
        {{.key = "targets",
          .kind = FieldKind::kTexts,
          .required = true,
          .help = "Blocks that are protected: `primary`, `payload`, or numbers of block types as "
                  "texts: `\"192\"`. A source protects no block that each node changes: previous "
                  "node, bundle age, hop count."},
         &SecurityRule::targets},
        {{.key = "variant",
          .kind = FieldKind::kChoice,
          .computed_default = "of a source: that of its key; otherwise any",
          .choices = {"256", "384", "512", "128"},
          .help = "Bits of the hash (256, 384, 512) or of the cipher's key (128, 256). A verifier "
                  "and an acceptor refuse all others. A source whose key wraps keys requires "
                  "`variant`."},
         [](SecurityRule &to, const Value &value) {
             to.variant = static_cast<std::uint32_t>(std::stoul(value.as<std::string>()));
         }},
        {{.key = "keys",
          .kind = FieldKind::kTexts,
          .required = true,
          .help = "Ids of keys in `keyStore`. A source uses the first one that is valid, a "
                  "verifier or an acceptor tries each valid one."},
         &SecurityRule::keys},
        {pattern_field("securitySource",
                       "Source of the security blocks that count, an endpoint or "
                       "a pattern; default: any. Not for a source, whose blocks "
                       "name this node."),
         &SecurityRule::security_source},
    };
}

std::vector<Field<SecurityRule>> outcomes() {
    return {
        {{.key = "required",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .help = "`true`: a bundle without the operation is handled as one whose operation fails. "
                  "This includes a bundle without the target, a fragment, a BPv6 bundle, and a "
                  "bundle that is too large for memory. If a source cannot add the "
                  "operation, for example because no key is valid, `onFailure` applies with `true` "
                  "and with `false`."},
         &SecurityRule::required},
        {{.key = "onFailure",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("dropBundle"),
          .choices = all_of(kActions),
          .help = "Handling of a bundle that fails. `keep`: it is passed on unchanged; "
                  "`stripOperation`: without the operation, not with bcb-aes-gcm; `stripTarget`: "
                  "without the target, or deleted if the target is the primary block or the "
                  "payload; `dropBundle`: it is "
                  "deleted. `hold` is an error: no bundles are held for the operator yet."},
         [](SecurityRule &to, const Value &value) {
             to.on_failure = named<SecurityAction>(kActions, value);
         }},
    };
}

const Table<SecurityRule> &rule_table() {
    static const Table<SecurityRule> table = [] {
        std::vector<Field<SecurityRule>> fields = conditions();
        append_fields(fields, operations());
        append_fields(fields, outcomes());
        return Table<SecurityRule>{
            "rules[]",
            "A rule of BPSec. Rules are evaluated in their order; for each direction and context "
            "the first rule applies whose conditions the bundle meets.",
            std::move(fields)};
    }();
    return table;
}

/// Previous node, bundle age, hop count.
bool changes_at_each_node(std::uint64_t type) {
    return type == 6 || type == 7 || type == 10;
}

/// Checks one rule; errors have paths below `path`.
class RuleChecks {
public:
    RuleChecks(const SecurityRule &rule, std::string path, std::vector<ConfigError> &errors)
        : rule_(rule), path_(std::move(path)), errors_(errors) {}

    void run() {
        check_pattern("bundleSource", rule_.bundle_source);
        check_pattern("destination", rule_.destination);
        check_pattern("securitySource", rule_.security_source);
        if (rule_.role == SecurityRole::kSource && !rule_.security_source.empty())
            add("securitySource", "found together with the role source",
                "no such key: it is this node");
        if (rule_.link && rule_.direction() == SecurityDirection::kOut)
            add("link", "found together with the direction out",
                "no such key: bundles are signed before they wait for a link");
        if (rule_.on_failure == SecurityAction::kHold)
            add("onFailure", "found \"hold\": bundles cannot be held for the operator yet",
                "keep, stripOperation, stripTarget or dropBundle");
        // Without the block that describes it, ciphertext is no content for anyone.
        if (rule_.on_failure == SecurityAction::kStripOperation &&
            rule_.context == SecurityContext::kConfidentiality)
            add("onFailure", "found \"stripOperation\" for bcb-aes-gcm: its target stays encrypted",
                "keep, stripTarget or dropBundle");
        check_targets();
        check_variant();
    }

private:
    void add(std::string_view key, std::string problem, std::string expected) {
        errors_.push_back(
            {path_ + '.' + std::string(key), std::move(problem), std::move(expected), {}});
    }
    void check_pattern(std::string_view key, const std::string &text) {
        if (!text.empty() && !bp::EidPattern::parse(text))
            add(key, "found \"" + text + '"', std::string(kPatterns));
    }
    void check_targets() {
        const bool encrypts = rule_.context == SecurityContext::kConfidentiality;
        for (auto target = rule_.targets.begin(); target != rule_.targets.end(); ++target) {
            const auto type = security_target(*target);
            if (!type)
                add("targets", "found \"" + *target + '"', "primary, payload or a block type");
            else if (std::ranges::find(rule_.targets.begin(), target, *target) != target)
                add("targets", "found \"" + *target + "\" again", "each target once");
            else if (*type == 0 && encrypts)
                add("targets", "found primary", "other blocks: it is never encrypted");
            else if (*type == kIntegrityType || *type == kConfidentialityType)
                add("targets", "found the type of a security block", "other blocks");
            else if (rule_.role == SecurityRole::kSource && changes_at_each_node(*type))
                add("targets", "found \"" + *target + "\", a block that each node changes",
                    "blocks that stay as they are");
        }
    }
    void check_variant() {
        if (!rule_.variant) return;
        const bool fits = rule_.context == SecurityContext::kIntegrity
                              ? *rule_.variant != 128
                              : *rule_.variant == 128 || *rule_.variant == 256;
        if (!fits)
            add("variant", "found " + std::to_string(*rule_.variant),
                rule_.context == SecurityContext::kIntegrity ? "256, 384 or 512" : "128 or 256");
    }

    const SecurityRule &rule_;
    const std::string path_;
    std::vector<ConfigError> &errors_;
};

}  // namespace

std::optional<std::uint64_t> security_target(const std::string &text) {
    if (text == "primary") return 0;
    if (text == "payload") return kPayloadType;
    std::uint64_t type = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), type);
    if (error != std::errc() || end != text.data() + text.size() || type == 0) return std::nullopt;
    return type;
}

const Table<SecurityConfig> &security_table() {
    static const Table<SecurityConfig> table{
        "security",
        "BPSec (RFC 9172): which bundles this node signs, verifies, encrypts and decrypts. See "
        "[bpsec.md](bpsec.md).",
        {
            {{.key = "keyStore",
              .kind = FieldKind::kText,
              .help = "File of keys, or folder of `*.key` files; relative to the folder of the "
                      "configuration file."},
             &SecurityConfig::key_store},
            {{.key = "default",
              .kind = FieldKind::kChoice,
              .computed_default = "`pass`; must be set if a rule is `required`",
              .choices = {"pass", "drop"},
              .help = "Handling of a received bundle that matches no rule."},
             [](SecurityConfig &to, const Value &value) {
                 to.fallback = named<SecurityDefault>(kDefaults, value);
             }},
            {{.key = "reportFailuresTo",
              .kind = FieldKind::kTexts,
              .help = "Report-to endpoints, or patterns of them, that get a status report with a "
                      "reason code of RFC 9172 when a bundle that requests reports of its deletion "
                      "is deleted by a rule; default: none."},
             &SecurityConfig::report_to},
            {{.key = "rules",
              .kind = FieldKind::kList,
              .section = &rule_table().info(),
              .help = "The rules, in the order in which they are evaluated."},
             [](SecurityConfig &to, const Value &value) {
                 to.rules = rule_table().build_all(value.as<List>());
             }},
        }};
    return table;
}

void check_security(const SecurityConfig &security, std::vector<ConfigError> &errors) {
    const auto required = std::ranges::find(security.rules, true, &SecurityRule::required);
    if (required != security.rules.end() && security.fallback == SecurityDefault::kUnset)
        errors.push_back({"security.default",
                          "missing, and the rule " + required->name + " is required",
                          "pass or drop: what becomes of bundles that no rule matches",
                          {}});
    if (!security.rules.empty() && security.key_store.empty())
        errors.push_back({"security.keyStore", "missing", "the file or folder of the keys", {}});
    if (security.rules.size() > kMostRules)
        errors.push_back({"security.rules",
                          "found " + std::to_string(security.rules.size()) + " rules",
                          "at most " + std::to_string(kMostRules),
                          {}});
    for (std::size_t at = 0; at < security.report_to.size(); ++at)
        if (!bp::EidPattern::parse(security.report_to[at]))
            errors.push_back({item_path("security.reportFailuresTo", at),
                              "found \"" + security.report_to[at] + '"',
                              std::string(kPatterns),
                              {}});
    std::set<std::string_view> names;
    for (std::size_t at = 0; at < security.rules.size(); ++at) {
        const std::string path = item_path("security.rules", at);
        RuleChecks(security.rules[at], path, errors).run();
        const std::string &name = security.rules[at].name;
        if (!name.empty() && !names.insert(name).second)
            errors.push_back({path + ".name", "found \"" + name + "\" again", "a unique name", {}});
    }
}

}  // namespace farlink::config
