// SPDX-License-Identifier: Apache-2.0
// What became of each of ION's commands, collected while they are read and put together.
// A value of one import; then written into the report, in the order of the files. One thread.
// A command may get several verdicts: the gravest one counts, and all texts are kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/config_import/import_report.hpp"
#include "common/config_import/ion/ion_source.hpp"

namespace farlink::config {

class CommandVerdicts {
public:
    explicit CommandVerdicts(const IonSource &source) : source_(source) {
        verdicts_.resize(source.commands().size());
    }

    void mapped(CommandIndex command, std::string text = {}) {
        add(command, ImportOutcome::kMapped, std::move(text));
    }
    void noted(CommandIndex command, std::string text) {
        add(command, ImportOutcome::kNoted, std::move(text));
    }
    void changed(CommandIndex command, std::string text) {
        add(command, ImportOutcome::kChanged, std::move(text));
    }
    void refused(CommandIndex command, std::string text) {
        add(command, ImportOutcome::kRefused, std::move(text));
    }
    void add(CommandIndex command, ImportOutcome outcome, std::string text);

    /// "relay.bprc:12"
    [[nodiscard]] std::string place_of(CommandIndex command) const;
    /// A line for each command.
    void write(ImportReport &report) const;

private:
    struct Verdict {
        ImportOutcome outcome = ImportOutcome::kMapped;
        bool given = false;
        std::string text;
    };

    const IonSource &source_;
    std::vector<Verdict> verdicts_;
};

}  // namespace farlink::config
