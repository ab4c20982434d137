// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/ion/command_verdicts.hpp"

#include <utility>

#include "common/config/fields/config_error.hpp"
#include "common/config_import/ion/ion_words.hpp"

namespace farlink::config {
namespace {

/// "a induct": the command without its values, fit for a terminal.
std::string setting_of(std::string_view text) {
    const IonWords words(text);
    std::string name(words[0]);
    const std::string_view object = words[1];
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
    const bool has_object =
        !object.empty() && object.find_first_not_of(kLetters) == std::string_view::npos;
    if (has_object) name += ' ' + std::string(object);
    constexpr std::size_t kLongest = 40;
    const std::string quoted = in_quotes(name, kLongest);
    return quoted.size() == name.size() + 2 ? name : quoted;
}

/// The greater one counts; a note beside what is mapped is a remark about it.
int rank(ImportOutcome outcome) {
    switch (outcome) {
        case ImportOutcome::kRefused:
            return 3;
        case ImportOutcome::kChanged:
            return 2;
        case ImportOutcome::kMapped:
            return 1;
        case ImportOutcome::kNoted:
            return 0;
    }
    return 0;
}

}  // namespace

void CommandVerdicts::add(CommandIndex command, ImportOutcome outcome, std::string text) {
    Verdict &verdict = verdicts_[command];
    if (!verdict.given || rank(outcome) > rank(verdict.outcome)) verdict.outcome = outcome;
    verdict.given = true;
    if (text.empty()) return;
    if (!verdict.text.empty()) verdict.text += "; ";
    verdict.text += text;
}

std::string CommandVerdicts::place_of(CommandIndex command) const {
    const IonCommand &found = source_.commands()[command];
    return source_.name_of(found) + ':' + std::to_string(found.line);
}

void CommandVerdicts::write(ImportReport &report) const {
    for (std::size_t i = 0; i < verdicts_.size(); ++i) {
        const IonCommand &command = source_.commands()[i];
        report.add({verdicts_[i].outcome, source_.name_of(command), command.line,
                    setting_of(command.text), verdicts_[i].text});
    }
}

}  // namespace farlink::config
