// SPDX-License-Identifier: Apache-2.0
// HDTN-style configurations of tests/imports, with single keys changed.
// Plain functions; the tests own what they return.
// Any thread.
#pragma once

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "common/config_import/hdtn/hdtn_import.hpp"
#include "tests/support/build_folders.hpp"

namespace farlink::config::test {

using Json = nlohmann::ordered_json;

inline std::string read_import(const std::string &name) {
    std::ifstream file(std::string(FARLINK_SOURCE_DIR "/tests/imports/hdtn/") + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline Imported import_text(const std::string &config, const HdtnChoices &choices = {}) {
    return import_hdtn({"hdtn.json", config}, choices);
}

inline Imported import_plan_text(const std::string &plan, bool unix_timestamps = false) {
    HdtnChoices choices;
    choices.unix_timestamps = unix_timestamps;
    return import_hdtn({"hdtn.json", read_import("stcp.json"), "plan.json", plan}, choices);
}

/// The line of a setting; an empty one if there is none.
inline ImportLine line_of(const ImportReport &report, const std::string &setting) {
    for (const auto outcome : {ImportOutcome::kRefused, ImportOutcome::kChanged,
                               ImportOutcome::kNoted, ImportOutcome::kMapped})
        for (const ImportLine &line : report.lines(outcome))
            if (line.setting == setting) return line;
    return {};
}

}  // namespace farlink::config::test
