// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/import/import_command.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "apps/farlinkctl/shared/failed.hpp"
#include "apps/farlinkctl/shared/file_options.hpp"
#include "apps/farlinkctl/shared/number_options.hpp"
#include "apps/shared/import/imported_folder.hpp"
#include "apps/shared/import/ion_files.hpp"

namespace farlink::ctl {
namespace {

void add_hdtn(CLI::App &config, ImportOptions &options) {
    CLI::App *const made = config.add_subcommand(
        "import-hdtn", "convert a configuration of HDTN, and write a report of each setting");
    made->callback([&options] { options.verb = ImportVerb::kHdtn; });
    made->add_option("file", options.hdtn.config_file, "HDTN's configuration")
        ->type_name(kFile)
        ->required();
    made->add_option("--contact-plan", options.hdtn.plan_file, "HDTN's contact plan")
        ->type_name(kFile);
    made->add_flag("--use-unix-timestamp", options.hdtn.unix_timestamps,
                   "times in the plan are Unix seconds");
    made->add_flag(
        "--trust-like-hdtn", options.hdtn.trust_like_hdtn,
        "write settings that accept peers without a proof of their node id, as HDTN does");
}

void add_ion(CLI::App &config, ImportOptions &options) {
    CLI::App *const made = config.add_subcommand(
        "import-ion",
        "convert the configuration of an ION node, and write a report of each command");
    made->callback([&options] { options.verb = ImportVerb::kIon; });
    made->add_option(
            "files", options.ion_files,
            "all files of one node: the file for ionstart, or ionrc, bprc, ltprc, ipnrc and so on")
        ->type_name(kFile)
        ->required();
    made->add_option("--node", options.ion_node, "number of the node, if no file states it")
        ->transform(whole_number("the number of a node", 1));
}

void add_folder(CLI::App &command, ImportOptions &options) {
    command.add_option("-o,--out", options.folder, "folder to write to")
        ->type_name(kFolder)
        ->capture_default_str();
    command.add_flag("--force", options.force, "replace existing files");
}

}  // namespace

void add_import_commands(CLI::App &app, ImportOptions &options) {
    CLI::App &config = *app.get_subcommand("config");
    add_hdtn(config, options);
    add_ion(config, options);
    for (const char *const name : {"import-hdtn", "import-ion"})
        add_folder(*config.get_subcommand(name), options);
}

int run_import(const ImportOptions &options) {
    const config::Imported made = options.verb == ImportVerb::kHdtn
                                      ? read_hdtn(options.hdtn)
                                      : read_ion(options.ion_files, options.ion_node);
    if (made.report.refused()) {
        std::fputs(made.report.text_of(config::ImportOutcome::kRefused).c_str(), stderr);
        return failed("nothing was imported: " +
                      std::to_string(made.report.count(config::ImportOutcome::kRefused)) +
                      " settings cannot be converted");
    }
    if (const std::string why = write_import(made, options.folder, options.force); !why.empty())
        return failed(why);
    std::fputs(made.report.text_of(config::ImportOutcome::kChanged).c_str(), stdout);
    const std::filesystem::path folder(options.folder);
    std::printf("%s: written; report of all settings: %s\n",
                (folder / config::kImportedConfigFile).c_str(),
                (folder / config::kImportReportFile).c_str());
    return kExitClean;
}

}  // namespace farlink::ctl
