// SPDX-License-Identifier: Apache-2.0
// The commands of the programs for security, files, custody and encapsulation.
#include <algorithm>
#include <string>

#include "common/config/fields/config_error.hpp"
#include "common/config_import/ion/ion_rules.hpp"

namespace farlink::config {
namespace {

constexpr auto kServiceRefused = ImportOutcome::kRefused;
constexpr std::string_view kDatabase = "starts a database of ION; farlink has none";

// ---- ionsecadmin, ltpsecadmin

constexpr std::string_view kBab = "farlink has no bundle authentication blocks (RFC 6257)";
constexpr std::string_view kLtpRule =
    "write the key in hexadecimal digits into a file and name it as `ltpAuthenticationKeyFile` of "
    "the link; then delete this command";

constexpr IonRule kSecurityRules[]{
    {.verb = "1", .most = 1, .text = kDatabase},
    {.verb = "a",
     .object = "key",
     .least = 4,
     .most = 4,
     .text = "rules that require it are reported separately"},
    {.verb = "c",
     .object = "key",
     .least = 4,
     .most = 4,
     .text = "rules that require it are reported separately"},
    {.verb = "d",
     .object = "key",
     .least = 3,
     .most = 3,
     .text = "rules that require it are reported separately"},
    {.verb = "a",
     .object = "pubkey",
     .least = 3,
     .most = kAnyNumber,
     .text = "rules that require it are reported separately"},
    {"a", "babrxrule", 5, 5, nullptr, kServiceRefused, kBab},
    {"a", "babtxrule", 5, 5, nullptr, kServiceRefused, kBab},
    {"a", "bspbabrule", 3, kAnyNumber, nullptr, kServiceRefused, kBab},
    {"a", "ltprecvauthrule", 4, 5, nullptr, kServiceRefused, kLtpRule},
    {"a", "ltpxmitauthrule", 4, 5, nullptr, kServiceRefused, kLtpRule},
    {"a", "ltprxrule", 4, 5, nullptr, kServiceRefused, kLtpRule},
    {"a", "ltptxrule", 4, 5, nullptr, kServiceRefused, kLtpRule},
};

// ---- bpsecadmin; in older files ionsecadmin has its rules as well

constexpr std::string_view kBpsec =
    "rules of BPSec are not imported; write them into the section `security`";

/// `a bibrule source destination block '' ''`: a rule without a key switches the check off.
void read_block_rule(const IonReading &reading) {
    if (reading.words[5].empty()) return reading.noted(std::string(kBpsec));
    reading.refused(std::string(kBpsec));
}

/// `a { "policyrule" : ... }`
void read_policy(const IonReading &reading) {
    const std::string_view text = reading.source.commands()[reading.command].text;
    const std::size_t key = text.find('"');
    const std::string_view rest =
        key == std::string_view::npos ? std::string_view{} : text.substr(key + 1);
    const std::string_view name = rest.substr(0, rest.find('"'));
    if (name == "event_set" || name == "event")
        return reading.noted("names events for rules; each rule is reported separately");
    if (name == "policyrule") return reading.refused(std::string(kBpsec));
    reading.refused("unknown command of bpsecadmin: " + in_quotes(text));
}

constexpr IonRule kBpsecRules[]{
    {.verb = "1", .most = 1, .text = kDatabase},
    {"a",
     "bibrule",
     6,
     7,
     read_block_rule,
     {},
     "`a bibrule`, source, destination, block type, cipher suite and key"},
    {"a",
     "bcbrule",
     6,
     7,
     read_block_rule,
     {},
     "`a bcbrule`, source, destination, block type, cipher suite and key"},
    {"c", "bibrule", 6, 7, nullptr, kServiceRefused, kBpsec},
    {"c", "bcbrule", 6, 7, nullptr, kServiceRefused, kBpsec},
    {.verb = "d", .object = "bibrule", .least = 5, .most = 5, .text = kBpsec},
    {.verb = "d", .object = "bcbrule", .least = 5, .most = 5, .text = kBpsec},
    {.verb = "x", .most = 4, .text = "deletes rules; none is imported"},
    {"a", "", 2, kAnyNumber, read_policy, {}, "`a` and an object of JSON"},
    {.verb = "d", .least = 2, .most = kAnyNumber, .text = "deletes rules; none is imported"},
    {.verb = "f", .least = 2, .most = kAnyNumber, .text = "prints; nothing is configured"},
};

// ---- cfdpadmin

constexpr std::string_view kFiles =
    "the node has no file transfer of its own; its bundles to ipn:N.64 are for an application";

constexpr IonRule kCfdpRules[]{
    {.verb = "1", .most = 1, .text = kFiles},
    {.verb = "a", .object = "entity", .least = 8, .most = 8, .text = kFiles},
    {.verb = "c", .object = "entity", .least = 8, .most = 8, .text = kFiles},
    {.verb = "d", .object = "entity", .least = 3, .most = 3, .text = kFiles},
    {.verb = "s", .least = 2, .most = 2, .text = kFiles},
    {.verb = "x", .most = 1, .text = kFiles},
    {.verb = "m", .object = "discard", .least = 3, .most = 3, .text = kFiles},
    {.verb = "m", .object = "requirecrc", .least = 3, .most = 3, .text = kFiles},
    {.verb = "m", .object = "fillchar", .least = 3, .most = 3, .text = kFiles},
    {.verb = "m", .object = "ckperiod", .least = 3, .most = 3, .text = kFiles},
    {.verb = "m", .object = "maxtimeouts", .least = 3, .most = 3, .text = kFiles},
    {.verb = "m", .object = "maxevents", .least = 3, .most = 3, .text = kFiles},
    {.verb = "m", .object = "maxtrnbr", .least = 3, .most = 3, .text = kFiles},
    {.verb = "m", .object = "segsize", .least = 3, .most = 3, .text = kFiles},
    {.verb = "m", .object = "inactivity", .least = 3, .most = 3, .text = kFiles},
};

// ---- acsadmin

void start_acs(const IonReading &reading) {
    reading.draft.custody.given = true;
    reading.draft.custody.command = reading.command;
    reading.mapped("isAcsAware true");
}

/// `a custodian size [delay]`: each custodian has a delay, a node of farlink one for all.
void add_custodian(const IonReading &reading) {
    if (!ipn_node_of(reading.words[1]) && !dtn_name_of(reading.words[1]))
        return reading.wrong(1, "the endpoint of a custodian");
    if (!whole_number_of(reading.words[2])) return reading.wrong(2, "a size in bytes");
    CustodyDraft &custody = reading.draft.custody;
    custody.given = true;
    custody.command = reading.command;
    reading.changed("a node has one limit for all signals, `acsMaxFillsPerAcsPacket`");
    if (reading.words.size() < 4) return;
    const auto delay = whole_number_of(reading.words[3]);
    constexpr std::uint64_t kLongest = 3600;
    if (!delay || *delay > kLongest) return reading.wrong(3, "seconds, at most 3600");
    const std::uint64_t least = std::min(custody.period_s.value_or(*delay), *delay);
    custody.period_s = least;
    reading.changed("acsSendPeriodMilliseconds " + std::to_string(least * 1000) +
                    ", for all custodians");
}

constexpr IonRule kAcsRules[]{
    {"1", "", 1, 3, start_acs, {}, "`1`, log level and optionally a size"},
    {"a", "", 3, 4, add_custodian, {}, "`a`, custodian, size and optionally seconds"},
    {.verb = "s", .least = 2, .most = 2, .text = "custody ids are continued from the store"},
};

// ---- bibeadmin and the others

constexpr std::string_view kBibe = "farlink encapsulates no bundles in bundles";

constexpr IonRule kBibeRules[]{
    {.verb = "1", .most = 1, .text = kDatabase},
    {"a", "bcla", 7, 9, nullptr, kServiceRefused, kBibe},
    {"c", "bcla", 7, 9, nullptr, kServiceRefused, kBibe},
    {"d", "bcla", 3, 3, nullptr, kServiceRefused, kBibe},
};

constexpr std::string_view kNoCounterpart = "farlink has no counterpart of this program";

constexpr IonRule kOtherRules[]{
    {.verb = "1", .most = kAnyNumber, .text = kDatabase},
    {.verb = "s", .most = kAnyNumber, .text = kNoCounterpart},
    {.verb = "x", .most = kAnyNumber, .text = kNoCounterpart},
    {"a", "", 1, kAnyNumber, nullptr, kServiceRefused, kNoCounterpart},
    {"c", "", 1, kAnyNumber, nullptr, kServiceRefused, kNoCounterpart},
    {"d", "", 1, kAnyNumber, nullptr, kServiceRefused, kNoCounterpart},
    {"m", "", 1, kAnyNumber, nullptr, kServiceRefused, kNoCounterpart},
};

}  // namespace

std::span<const IonRule> security_rules() {
    return kSecurityRules;
}

std::span<const IonRule> bpsec_rules() {
    return kBpsecRules;
}

std::span<const IonRule> cfdp_rules() {
    return kCfdpRules;
}

std::span<const IonRule> acs_rules() {
    return kAcsRules;
}

std::span<const IonRule> bibe_rules() {
    return kBibeRules;
}

std::span<const IonRule> other_rules() {
    return kOtherRules;
}

}  // namespace farlink::config
