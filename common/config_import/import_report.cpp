// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/import_report.hpp"

#include <utility>

namespace farlink::config {
namespace {

constexpr ImportOutcome kOutcomes[] = {ImportOutcome::kRefused, ImportOutcome::kChanged,
                                       ImportOutcome::kNoted, ImportOutcome::kMapped};

}  // namespace

std::string to_string(ImportOutcome outcome) {
    switch (outcome) {
        case ImportOutcome::kRefused:
            return "refused";
        case ImportOutcome::kChanged:
            return "changed";
        case ImportOutcome::kNoted:
            return "noted";
        case ImportOutcome::kMapped:
            return "mapped";
    }
    return {};
}

std::string ImportLine::to_string() const {
    std::string out = file;
    if (line > 0) out += ':' + std::to_string(line);
    if (!setting.empty()) out += (out.empty() ? "" : ": ") + setting;
    out += (out.empty() ? "" : ": ") + config::to_string(outcome);
    return text.empty() ? out : out + ": " + text;
}

void ImportReport::add(ImportLine line) {
    Part &to = parts_[static_cast<std::size_t>(line.outcome)];
    if (to.lines.size() < kMostImportLines)
        to.lines.push_back(std::move(line));
    else
        ++to.omitted;
}

std::size_t ImportReport::count(ImportOutcome outcome) const {
    return part(outcome).lines.size() + part(outcome).omitted;
}

const std::vector<ImportLine> &ImportReport::lines(ImportOutcome outcome) const {
    return part(outcome).lines;
}

std::string ImportReport::text_of(ImportOutcome outcome) const {
    std::string out;
    for (const ImportLine &line : lines(outcome)) out += line.to_string() + '\n';
    if (const std::size_t omitted = part(outcome).omitted; omitted > 0)
        out += "and " + std::to_string(omitted) + " more " + config::to_string(outcome) + '\n';
    return out;
}

std::string ImportReport::to_string() const {
    std::string out;
    for (const ImportOutcome outcome : kOutcomes)
        out += (out.empty() ? "" : ", ") + std::to_string(count(outcome)) + ' ' +
               config::to_string(outcome);
    out += '\n';
    for (const ImportOutcome outcome : kOutcomes) out += text_of(outcome);
    return out;
}

}  // namespace farlink::config
