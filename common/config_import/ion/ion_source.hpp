// SPDX-License-Identifier: Apache-2.0
// ION's files as a list of commands: which program each is for, and where it stands.
// Made once from the texts, which it borrows; then read-only; any thread.
// A file is of one program, by its name, or of several between `## begin PROGRAM` lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/config_import/import_report.hpp"

namespace farlink::config {

/// One of ION's files.
struct IonFile {
    std::string name;  ///< for messages, and for the program that it is for
    std::string text;
};

/// The program of ION that reads a command.
enum class IonProgram : std::uint8_t {
    kIon,
    kBp,
    kIpn,
    kDtn2,
    kLtp,
    kSecurity,  ///< ionsecadmin, ltpsecadmin
    kBpsec,
    kCfdp,
    kAcs,
    kBibe,
    kConfig,  ///< the memory of a node: not commands, but names and values
    kOther,   ///< known, without counterpart
};

struct IonCommand {
    IonProgram program = IonProgram::kOther;
    std::size_t file = 0;   ///< index in the list of files
    std::size_t line = 0;   ///< from 1; the first one of a command of several lines
    std::string_view text;  ///< without blanks around it
};

/// A command's number in IonSource::commands().
using CommandIndex = std::size_t;

class IonSource {
public:
    /// Reports what is wrong with a file as such: its name, its sections, its end.
    IonSource(std::span<const IonFile> files, ImportReport &report);

    [[nodiscard]] const std::vector<IonCommand> &commands() const { return commands_; }
    [[nodiscard]] const std::string &name_of(const IonCommand &command) const {
        return files_[command.file].name;
    }
    [[nodiscard]] std::span<const IonFile> files() const { return files_; }

private:
    struct Section;
    void read(std::size_t file, ImportReport &report);
    void read_line(Section &at, std::string_view line);
    static void begin_section(Section &at, std::string_view program);

    std::span<const IonFile> files_;
    std::vector<IonCommand> commands_;
};

/// The program of a file with this name: "relay.bprc", "ionrc", "node1.ltp.rc" is none.
[[nodiscard]] bool has_program(std::string_view file_name);

}  // namespace farlink::config
