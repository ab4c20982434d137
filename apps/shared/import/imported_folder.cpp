// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/import/imported_folder.hpp"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "module/control/state/state_file.hpp"

namespace farlink {

std::string write_import(const config::Imported &made, const std::string &folder, bool replace) {
    std::error_code error;
    const std::filesystem::path base(folder.empty() ? "." : folder);
    std::filesystem::create_directories(base, error);
    if (error) return base.string() + ": " + error.message();
    std::vector<std::pair<std::string, const std::string *>> files;
    const std::string report = made.report.to_string();
    files.emplace_back((base / config::kImportReportFile).string(), &report);
    if (!made.plan.empty())
        files.emplace_back((base / config::kImportedPlanFile).string(), &made.plan);
    files.emplace_back((base / config::kImportedConfigFile).string(), &made.config);
    for (const auto &[path, text] : files)
        if (!replace && std::filesystem::exists(path, error))
            return path +
                   ": already exists; choose another folder, or replace the files by --force";
    for (const auto &[path, text] : files) {
        const std::string why = control::replace_file(path, *text);
        if (why.empty()) continue;
        for (const auto &[written, ignored] : files)
            for (const char *const suffix : {"", ".new"})  // replace_file() writes beside it
                std::filesystem::remove(written + suffix, error);
        return why;
    }
    return {};
}

}  // namespace farlink
