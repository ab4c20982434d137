// SPDX-License-Identifier: Apache-2.0
// What became of each setting of another router's files: the lines of `import-report.txt`.
// A value, filled by an importer and read by the program; any thread.
// An import does not stop at the first refusal: the report is complete, and nothing is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace farlink::config {

enum class ImportOutcome : std::uint8_t {
    kRefused,  ///< cannot be imported; the whole import fails
    kChanged,  ///< imported with another value or meaning
    kNoted,    ///< left out: without effect, or without counterpart
    kMapped,   ///< imported as it is
};
inline constexpr std::size_t kImportOutcomes = 4;

/// "refused", "changed", "noted", "mapped"
[[nodiscard]] std::string to_string(ImportOutcome outcome);

struct ImportLine {
    ImportOutcome outcome = ImportOutcome::kMapped;
    std::string file;      ///< as named on the command line
    std::size_t line = 0;  ///< in the file, from 1; 0: unknown, the setting is the place
    std::string setting;   ///< key, path of a key, or command
    std::string text;      ///< what it became, why, and what to do

    /// "bp.rc:12: a outduct: refused: ..."
    [[nodiscard]] std::string to_string() const;
    friend bool operator==(const ImportLine &, const ImportLine &) = default;
};

/// A limit of memory for each outcome; further lines are counted.
inline constexpr std::size_t kMostImportLines = 20'000;

class ImportReport {
public:
    void add(ImportLine line);
    [[nodiscard]] std::size_t count(ImportOutcome outcome) const;
    [[nodiscard]] bool refused() const { return count(ImportOutcome::kRefused) > 0; }
    /// In the order of adding.
    [[nodiscard]] const std::vector<ImportLine> &lines(ImportOutcome outcome) const;
    /// The lines of one outcome, and the number of those left out.
    [[nodiscard]] std::string text_of(ImportOutcome outcome) const;
    /// The whole report: a line of counts, then the lines, refusals first.
    [[nodiscard]] std::string to_string() const;

private:
    struct Part {
        std::vector<ImportLine> lines;
        std::size_t omitted = 0;
    };
    [[nodiscard]] const Part &part(ImportOutcome outcome) const {
        return parts_[static_cast<std::size_t>(outcome)];
    }

    Part parts_[kImportOutcomes];
};

}  // namespace farlink::config
