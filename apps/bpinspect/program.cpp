// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/program.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/bpinspect/core/inspect.hpp"
#include "apps/bpinspect/input/input.hpp"
#include "apps/bpinspect/report.hpp"
#include "apps/bpinspect/security/security_checker.hpp"
#include "apps/shared/options/complain.hpp"
#include "apps/shared/options/tool_options.hpp"

namespace farlink::inspect {
namespace {

constexpr int kExitConforms = 0;
constexpr int kExitDeviates = 1;
constexpr int kExitUsage = 2;

struct Arguments {
    std::vector<std::string> inputs{"-"};
    InputOptions input;
    std::optional<Kind> kind;
    ReportOptions report;
    std::string keys;
    bool json = false;
    bool brief = false;
};

/// The options that are names.
struct Names {
    std::string form = "auto";
    std::string kind;
    std::vector<std::uint16_t> ports;
};

void declare(CLI::App &app, Arguments &arguments, Names &names) {
    app.add_option("inputs", arguments.inputs,
                   "files to read; a folder is read as a store; -: standard input (the default)");
    app.add_option("--form", names.form,
                   "format of the input; pcap includes pcapng; store is the folder of a store, or "
                   "a .log file in it")
        ->check(CLI::IsMember({"auto", "binary", "hex", "base64", "pcap", "store"}))
        ->capture_default_str();
    app.add_option("--as", names.kind,
                   "content of the input; by default the first octets determine it")
        ->check(CLI::IsMember({"bundle6", "bundle7", "record6", "record7"}));
    app.add_option("--port", names.ports,
                   "pcap: further UDP ports; each datagram from or to these ports and 4556 is read "
                   "as a bundle")
        ->check(CLI::Range(1, 65'535));
    app.add_option(
        "--keys", arguments.keys,
        "key file, or folder of key files, with which BPv7 bundles are verified and decrypted");
    app.add_flag("--brief", arguments.brief, "print one line for each bundle, without its fields");
    app.add_flag("--octets", arguments.report.all_octets, "print also the octets of long fields");
    app.add_flag("--json", arguments.json, "print a line of JSON for each bundle and a summary");
}

void take(const Names &names, Arguments &arguments) {
    static const std::map<std::string, Form> kForms{
        {"auto", Form::kAuto},     {"binary", Form::kBinary}, {"hex", Form::kHex},
        {"base64", Form::kBase64}, {"pcap", Form::kCapture},  {"store", Form::kStore}};
    static const std::map<std::string, Kind> kKinds{{"bundle6", Kind::kBundle6},
                                                    {"bundle7", Kind::kBundle7},
                                                    {"record6", Kind::kRecord6},
                                                    {"record7", Kind::kRecord7}};
    arguments.input.form = kForms.at(names.form);
    if (!names.kind.empty()) arguments.kind = kKinds.at(names.kind);
    arguments.input.ports.insert(names.ports.begin(), names.ports.end());
}

/// Prints what is found, and counts.
class Printer {
public:
    Printer(const Arguments &arguments, SecurityChecker *checker)
        : arguments_(arguments), checker_(checker) {}

    void print(const Found &found, const std::string &input) {
        const std::string where = place_of(found, input);
        const Kind kind = arguments_.kind.value_or(guess_kind(found.octets));
        Inspection inspection = inspect(found.octets, kind);
        if (checker_ != nullptr && kind == Kind::kBundle7)
            inspection.security = checker_->check(found.octets);
        if (!arguments_.json && !arguments_.brief && count_ != 0) std::cout << '\n';
        ++count_;
        deviating_ += inspection.conforms() ? 0 : 1;
        failing_ += inspection.security && inspection.security->failed() ? 1 : 0;
        std::cout << text_of(inspection, found.octets, where);
    }

    void finish() const {
        if (arguments_.json)
            std::cout << "{\"type\":\"summary\",\"count\":" << count_
                      << ",\"deviating\":" << deviating_ << security_of_summary_json() << "}\n";
        else if (count_ != 1)
            std::cout << (arguments_.brief ? "" : "\n") << count_ << " bundles and records, "
                      << deviating_ << " with deviations" << security_of_summary() << '\n';
    }
    [[nodiscard]] bool conforms() const { return count_ != 0 && deviating_ == 0 && failing_ == 0; }

private:
    std::string place_of(const Found &found, const std::string &input) const {
        if (arguments_.inputs.size() == 1) return found.where;
        return found.where.empty() ? input : input + ": " + found.where;
    }
    std::string text_of(const Inspection &inspection, ByteView octets,
                        const std::string &where) const {
        if (arguments_.json)
            return arguments_.brief ? summary_json(inspection, octets, where)
                                    : report_json(inspection, octets, where, arguments_.report);
        return arguments_.brief ? summary_text(inspection, octets, where)
                                : report_text(inspection, octets, where, arguments_.report);
    }

    std::string security_of_summary() const {
        if (checker_ == nullptr) return {};
        return ", " + std::to_string(failing_) + " with failed security operations";
    }
    std::string security_of_summary_json() const {
        if (checker_ == nullptr) return {};
        return ",\"securityFailed\":" + std::to_string(failing_);
    }

    const Arguments &arguments_;
    SecurityChecker *checker_;
    std::uint64_t count_ = 0;
    std::uint64_t deviating_ = 0;
    std::uint64_t failing_ = 0;  ///< with a security operation that fails
};

int run(const Arguments &arguments) {
    std::unique_ptr<SecurityChecker> checker;
    if (!arguments.keys.empty()) {
        auto made = make_security_checker(arguments.keys);
        if (!made) return complain("--keys: " + made.error(), kExitUsage);
        checker = std::move(*made);
    }
    Printer printer(arguments, checker.get());
    bool readable = true;
    for (const std::string &input : arguments.inputs) {
        Notes notes;
        const auto read = read_input(
            input, arguments.input, [&](const Found &found) { printer.print(found, input); },
            notes);
        std::cout.flush();
        for (const std::string &note : notes)
            std::cerr << "bpinspect: " << input << ": " << note << '\n';
        if (!read) std::cerr << "bpinspect: " << input << ": " << read.error() << '\n';
        readable = readable && read.has_value();
    }
    printer.finish();
    if (!readable) return kExitUsage;
    return printer.conforms() ? kExitConforms : kExitDeviates;
}

}  // namespace
}  // namespace farlink::inspect

int farlink::inspect::run_program(int argc, char **argv) {
    farlink::inspect::Arguments arguments;
    farlink::inspect::Names names;
    CLI::App app{"Prints bundles and administrative records field by field"};
    farlink::add_version(app);
    farlink::inspect::declare(app, arguments, names);
    app.footer(
        "Exit codes: 0 all bundles and records follow the standards, 1 deviations were found, a "
        "security operation failed, or the input has no bundle, 2 bad usage or an input that "
        "cannot be read.");
    try {
        farlink::parse_words(app, argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : farlink::inspect::kExitUsage;
    }
    farlink::inspect::take(names, arguments);
    return farlink::inspect::run(arguments);
}
