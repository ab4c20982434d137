// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/ion/ion_rules.hpp"

#include <array>
#include <string>

#include "common/config/fields/config_error.hpp"

namespace farlink::config {
namespace {

constexpr std::string_view kPrints = "prints, logs or ends a dialogue; nothing is configured";

/// What each of ION's programs has.
constexpr IonRule kGeneralRules[]{
    {.verb = "?", .most = kAnyNumber, .text = kPrints},
    {.verb = "h", .most = kAnyNumber, .text = kPrints},
    {.verb = "q", .most = kAnyNumber, .text = kPrints},
    {.verb = "v", .most = kAnyNumber, .text = kPrints},
    {.verb = "e", .least = 2, .most = 2, .text = kPrints},
    {.verb = "w", .least = 2, .most = 2, .text = kPrints},
    {.verb = "l", .most = kAnyNumber, .text = kPrints},
    {.verb = "i", .most = kAnyNumber, .text = kPrints},
    {.verb = "t", .most = 3, .text = kPrints},
};

std::span<const IonRule> no_rules() {
    return {};
}

struct ProgramRules {
    IonProgram program;
    std::string_view name;
    std::span<const IonRule> (*first)();
    std::span<const IonRule> (*second)() = no_rules;
};

constexpr ProgramRules kProgramRules[]{
    {IonProgram::kIon, "ionadmin", node_rules, node_settings},
    {IonProgram::kBp, "bpadmin", bp_rules, plan_rules},
    {IonProgram::kIpn, "ipnadmin", ipn_rules},
    {IonProgram::kDtn2, "dtn2admin", dtn2_rules},
    {IonProgram::kLtp, "ltpadmin", ltp_rules},
    {IonProgram::kSecurity, "ionsecadmin", security_rules},
    {IonProgram::kBpsec, "bpsecadmin", bpsec_rules},
    {IonProgram::kCfdp, "cfdpadmin", cfdp_rules},
    {IonProgram::kAcs, "acsadmin", acs_rules},
    {IonProgram::kBibe, "bibeadmin", bibe_rules},
    {IonProgram::kConfig, "ionconfig", memory_rules},
    {IonProgram::kOther, "this program", other_rules},
};

const ProgramRules &rules_of(IonProgram program) {
    for (const ProgramRules &each : kProgramRules)
        if (each.program == program) return each;
    return kProgramRules[0];
}

/// A rule with this object precedes one for any object.
const IonRule *find(std::span<const IonRule> rules, const IonWords &words) {
    const IonRule *found = nullptr;
    for (const IonRule &rule : rules) {
        if (rule.verb != words[0]) continue;
        if (!rule.object.empty() && rule.object == words[1]) return &rule;
        if (rule.object.empty() && found == nullptr) found = &rule;
    }
    return found;
}

const IonRule *find(const ProgramRules &program, const IonWords &words) {
    for (const auto &rules : {program.first(), program.second()})
        if (const IonRule *const rule = find(rules, words)) return rule;
    const bool commands = program.program != IonProgram::kConfig;
    return commands ? find(kGeneralRules, words) : nullptr;
}

std::string words_text(const IonRule &rule) {
    if (rule.most == kAnyNumber) return "at least " + std::to_string(rule.least) + " words";
    std::string text = std::to_string(rule.least);
    if (rule.most != rule.least) text += " to " + std::to_string(rule.most);
    return text + (rule.most == 1 ? " word" : " words");
}

void read_command(const IonReading &reading) {
    const IonCommand &command = reading.source.commands()[reading.command];
    const ProgramRules &program = rules_of(command.program);
    if (reading.words.broken() && command.program != IonProgram::kBpsec)
        return reading.refused("a quote ' is not closed");
    const IonRule *const rule = find(program, reading.words);
    if (rule == nullptr)
        return reading.refused("unknown command of " + std::string(program.name) + ": " +
                               in_quotes(command.text));
    if (reading.words.size() < rule->least || reading.words.size() > rule->most) {
        const bool usage = rule->read != nullptr && !rule->text.empty();
        return reading.refused("found " + std::to_string(reading.words.size()) +
                               " words; expected " + words_text(*rule) +
                               (usage ? ": " + std::string(rule->text) : ""));
    }
    if (rule->read != nullptr)
        rule->read(reading);
    else
        reading.verdicts.add(reading.command, rule->outcome, std::string(rule->text));
}

}  // namespace

void IonReading::wrong(std::size_t word, std::string_view expected) const {
    const std::string found =
        word < words.size() ? "found " + in_quotes(words[word]) : std::string("missing");
    refused(found + "; expected " + std::string(expected));
}

void IonReading::again(CommandIndex earlier) const {
    refused("duplicate of " + verdicts.place_of(earlier));
}

void IonReading::nothing_there(std::string_view what) const {
    refused("no command above adds this " + std::string(what));
}

void read_commands(const IonSource &source, NodeDraft &draft, CommandVerdicts &verdicts) {
    for (CommandIndex i = 0; i < source.commands().size(); ++i) {
        const IonWords words(source.commands()[i].text);
        read_command({source, i, words, draft, verdicts});
    }
}

}  // namespace farlink::config
