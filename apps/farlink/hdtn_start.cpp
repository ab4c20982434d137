// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/hdtn_start.hpp"

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "apps/shared/import/hdtn_files.hpp"
#include "apps/shared/import/imported_folder.hpp"

namespace farlink::app {
namespace {

/// In the working folder, so that the store of the node stays where it was.
std::string folder_of(const std::string &config) {
    const auto json = nlohmann::json::parse(config, nullptr, false);
    return "farlink-hdtn-" + std::to_string(json.value("myNodeId", std::uint64_t{0}));
}

}  // namespace

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

const std::string &ScratchFolder::make() {
    std::error_code error;
    std::string name =
        (std::filesystem::temp_directory_path(error) / "farlink_hdtn_XXXXXX").string();
    if (!error && ::mkdtemp(name.data()) != nullptr) path_ = name;
    return path_;
}

std::optional<int> convert_hdtn(Options &options, ScratchFolder &scratch) {
    if (options.hdtn.config_file.empty()) return std::nullopt;
    const config::Imported made = read_hdtn(options.hdtn);
    std::fputs(made.report.text_of(config::ImportOutcome::kRefused).c_str(), stderr);
    if (made.report.refused()) return kExitBadConfiguration;
    std::fputs(made.report.text_of(config::ImportOutcome::kChanged).c_str(), stderr);
    const std::string folder = options.check_only ? scratch.make() : folder_of(made.config);
    const std::string why = folder.empty()
                                ? std::string("cannot create a folder for temporary files")
                                : write_import(made, folder, true);
    if (!why.empty()) {
        std::fprintf(stderr, "cannot start: %s\n", why.c_str());
        return kExitFailed;
    }
    options.config_file = (std::filesystem::path(folder) / config::kImportedConfigFile).string();
    if (!options.check_only)
        std::fprintf(stderr,
                     "%s: written, the configuration of this node; report of all settings: %s\n",
                     options.config_file.c_str(),
                     (std::filesystem::path(folder) / config::kImportReportFile).c_str());
    return std::nullopt;
}

}  // namespace farlink::app
