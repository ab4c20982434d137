// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/ion/ion_source.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/config/fields/config_error.hpp"

namespace farlink::config {
namespace {

constexpr std::string_view kLineBlanks = " \t\r\v\f";

/// Limits of memory and of the report, beyond any configuration.
constexpr std::size_t kMostCommands = 2'000'000;

struct ProgramName {
    std::string_view program;  ///< in `## begin`
    std::string_view file;     ///< the end of a file's name
    IonProgram which;
};

constexpr ProgramName kProgramNames[]{
    {"ionadmin", "ionrc", IonProgram::kIon},
    {"bpadmin", "bprc", IonProgram::kBp},
    {"ipnadmin", "ipnrc", IonProgram::kIpn},
    {"dtn2admin", "dtn2rc", IonProgram::kDtn2},
    {"ltpadmin", "ltprc", IonProgram::kLtp},
    {"ionsecadmin", "ionsecrc", IonProgram::kSecurity},
    {"ltpsecadmin", "ltpsecrc", IonProgram::kSecurity},
    {"bpsecadmin", "bpsecrc", IonProgram::kBpsec},
    {"cfdpadmin", "cfdprc", IonProgram::kCfdp},
    {"acsadmin", "acsrc", IonProgram::kAcs},
    {"bibeadmin", "biberc", IonProgram::kBibe},
    {"ionconfig", "ionconfig", IonProgram::kConfig},
    {"imcadmin", "imcrc", IonProgram::kOther},
    {"irrfadmin", "irrrc", IonProgram::kOther},
    {"bssadmin", "bssrc", IonProgram::kOther},
    {"bsspadmin", "bssprc", IonProgram::kOther},
    {"dtpcadmin", "dtpcrc", IonProgram::kOther},
    {"amsadmin", "amsrc", IonProgram::kOther},
};

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kLineBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kLineBlanks) - first + 1);
}

/// The word that `text` begins with, which is removed from it.
std::string_view take_word(std::string_view &text) {
    text = trimmed(text);
    const std::size_t end = std::min(text.find_first_of(kLineBlanks), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    return word;
}

std::string_view base_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// The longest fitting end counts: "dtpcrc" is not a "cfdprc".
const ProgramName *program_of_file(std::string_view path) {
    const std::string_view name = base_of(path);
    const ProgramName *found = nullptr;
    for (const ProgramName &each : kProgramNames) {
        if (!name.ends_with(each.file)) continue;
        if (found == nullptr || each.file.size() > found->file.size()) found = &each;
    }
    return found;
}

const ProgramName *program_of_section(std::string_view program) {
    const auto *const found = std::ranges::find(kProgramNames, program, &ProgramName::program);
    return found == std::end(kProgramNames) ? nullptr : found;
}

}  // namespace

/// Where the reading of a file is.
struct IonSource::Section {
    /// Follows the braces of a JSON value over its lines.
    class Braces {
    public:
        void read(std::string_view text) {
            for (const char c : text) {
                if (std::exchange(escaped_, false)) continue;
                if (quoted_ && c == '\\') escaped_ = true;
                if (c == '"') quoted_ = !quoted_;
                if (quoted_) continue;
                depth_ += c == '{' ? 1 : 0;
                depth_ -= c == '}' ? 1 : 0;
            }
            escaped_ = false;
        }
        [[nodiscard]] bool open() const { return depth_ > 0; }

    private:
        int depth_ = 0;
        bool quoted_ = false;
        bool escaped_ = false;
    };

    std::size_t file = 0;
    std::size_t line = 0;
    std::optional<IonProgram> program{};  ///< of the commands that follow
    std::string_view name{};              ///< of a section that is open
    std::size_t begun = 0;                ///< its line
    bool combined = false;                ///< the file has sections
    bool has_commands = false;
    std::optional<Braces> json{};  ///< a command over several lines
    std::vector<ImportLine> errors{};

    void refuse(std::string setting, std::string text) {
        errors.push_back({ImportOutcome::kRefused, {}, line, std::move(setting), std::move(text)});
    }
};

IonSource::IonSource(std::span<const IonFile> files, ImportReport &report) : files_(files) {
    for (std::size_t i = 0; i < files.size(); ++i) read(i, report);
}

void IonSource::begin_section(Section &at, std::string_view program) {
    at.combined = true;
    if (!at.name.empty())
        at.refuse("## begin", "the section " + in_quotes(at.name) + " of line " +
                                  std::to_string(at.begun) + " has no `## end`");
    const ProgramName *const known = program_of_section(program);
    if (known == nullptr)
        at.refuse("## begin", in_quotes(program) +
                                  " is not a program of ION; expected one such as \"ionadmin\", "
                                  "\"bpadmin\" or \"ltpadmin\"");
    at.program = known == nullptr ? std::nullopt : std::optional(known->which);
    at.name = program;
    at.begun = at.line;
}

void IonSource::read_line(Section &at, std::string_view line) {
    const std::string_view text = trimmed(line);
    if (at.json && text.empty()) return;
    if (at.json) {
        IonCommand &command = commands_.back();
        command.text = {command.text.data(),
                        static_cast<std::size_t>(text.data() + text.size() - command.text.data())};
        at.json->read(text);
        if (!at.json->open()) at.json.reset();
        return;
    }
    if (text.starts_with("##")) {
        std::string_view rest = text.substr(2);
        const std::string_view verb = take_word(rest);
        const std::string_view program = take_word(rest);
        if (verb == "begin") return begin_section(at, program);
        if (verb != "end") return;
        if (program != at.name || at.name.empty())
            at.refuse("## end", in_quotes(program) + " has no `## begin`");
        at.name = {};
        at.program.reset();
        return;
    }
    if (text.empty() || text.front() == '#') return;
    at.has_commands = true;
    if (at.combined && at.name.empty())
        return at.refuse(in_quotes(text), "a command outside of a section");
    if (!at.program || commands_.size() >= kMostCommands) return;
    commands_.push_back({*at.program, at.file, at.line, text});
    if (*at.program != IonProgram::kBpsec) return;
    at.json.emplace().read(text);
    if (!at.json->open()) at.json.reset();
}

void IonSource::read(std::size_t file, ImportReport &report) {
    const IonFile &source = files_[file];
    const std::string_view text = source.text;
    Section at{.file = file};
    const ProgramName *const named = program_of_file(source.name);
    const bool sections =
        text.starts_with("## begin") || text.find("\n## begin") != std::string_view::npos;
    if (sections)
        at.combined = true;
    else if (named != nullptr)
        at.program = named->which;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        ++at.line;
        read_line(at, text.substr(begin, end - begin));
        if (end == text.size())
            at.refuse("",
                      "the file ends within a line: it may be truncated, or its last line "
                      "needs an end of line");
        begin = end + 1;
    }
    if (at.json) at.refuse("", "the file ends within a command that has an open brace");
    if (!at.name.empty())
        at.refuse("", "the file ends within the section " + in_quotes(at.name) + " of line " +
                          std::to_string(at.begun));
    at.line = 0;
    if (!at.has_commands) at.refuse("", "the file has no command");
    if (at.has_commands && !sections && named == nullptr)
        at.refuse("",
                  "which program reads it is not clear: its name ends in none of ionrc, bprc, "
                  "ipnrc, ltprc, ionsecrc, bpsecrc, cfdprc, acsrc, biberc and ionconfig, and "
                  "it has no `## begin`");
    if (commands_.size() >= kMostCommands) at.refuse("", "the files have too many commands");
    for (ImportLine &error : at.errors) {
        error.file = source.name;
        report.add(std::move(error));
    }
}

bool has_program(std::string_view file_name) {
    return program_of_file(file_name) != nullptr;
}

}  // namespace farlink::config
