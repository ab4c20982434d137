// SPDX-License-Identifier: Apache-2.0
// The commands of ION's programs: how many words each has, and who reads it.
// Tables, one for each program, and the look-up in them; any thread.
// A command without reader has a fixed verdict.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include "common/config_import/import_report.hpp"
#include "common/config_import/ion/command_verdicts.hpp"
#include "common/config_import/ion/ion_words.hpp"
#include "common/config_import/ion/node_draft.hpp"

namespace farlink::config {

/// One command and where it goes.
struct IonReading {
    const IonSource &source;
    CommandIndex command;
    const IonWords &words;
    NodeDraft &draft;
    CommandVerdicts &verdicts;

    void mapped(std::string text = {}) const { verdicts.mapped(command, std::move(text)); }
    void noted(std::string text) const { verdicts.noted(command, std::move(text)); }
    void changed(std::string text) const { verdicts.changed(command, std::move(text)); }
    void refused(std::string text) const { verdicts.refused(command, std::move(text)); }
    /// Refuses: "found ...; expected ...".
    void wrong(std::size_t word, std::string_view expected) const;
    /// Refuses what is there already.
    void again(CommandIndex earlier) const;
    /// Refuses what changes or deletes something that is not there.
    void nothing_there(std::string_view what) const;
};

struct IonRule {
    std::string_view verb;
    std::string_view object{};  ///< the second word; empty: any, or none
    std::size_t least = 1;      ///< words, with verb and object
    std::size_t most = 1;
    void (*read)(const IonReading &) = nullptr;
    ImportOutcome outcome = ImportOutcome::kNoted;  ///< without `read`
    std::string_view text{};  ///< without `read`: why; with it: the words that it has
};

/// Words of a command that may have any number of them.
inline constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

[[nodiscard]] std::span<const IonRule> node_rules();      ///< ionadmin
[[nodiscard]] std::span<const IonRule> node_settings();   ///< ionadmin's `m`
[[nodiscard]] std::span<const IonRule> bp_rules();        ///< bpadmin
[[nodiscard]] std::span<const IonRule> plan_rules();      ///< bpadmin's egress plans
[[nodiscard]] std::span<const IonRule> ipn_rules();       ///< ipnadmin
[[nodiscard]] std::span<const IonRule> dtn2_rules();      ///< dtn2admin
[[nodiscard]] std::span<const IonRule> ltp_rules();       ///< ltpadmin
[[nodiscard]] std::span<const IonRule> security_rules();  ///< ionsecadmin, ltpsecadmin
[[nodiscard]] std::span<const IonRule> bpsec_rules();     ///< bpsecadmin
[[nodiscard]] std::span<const IonRule> cfdp_rules();      ///< cfdpadmin
[[nodiscard]] std::span<const IonRule> acs_rules();       ///< acsadmin
[[nodiscard]] std::span<const IonRule> bibe_rules();      ///< bibeadmin
[[nodiscard]] std::span<const IonRule> memory_rules();    ///< ionconfig
[[nodiscard]] std::span<const IonRule> other_rules();     ///< the others

/// Reads every command of the source into the draft.
void read_commands(const IonSource &source, NodeDraft &draft, CommandVerdicts &verdicts);

}  // namespace farlink::config
