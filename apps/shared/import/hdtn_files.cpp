// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/import/hdtn_files.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "common/config/fields/text_file.hpp"
#include "common/config/node/load_node_config.hpp"
#include "common/plan/contact_plan.hpp"

namespace farlink {
namespace {

using config::ImportOutcome;

/// The text of a file; empty and a refusal if it cannot be read.
std::string read_into(const std::string &path, config::ImportReport &report) {
    auto text = config::read_text_file(path);
    if (text) return std::move(*text);
    report.add({ImportOutcome::kRefused, path, 0, {}, text.error().to_string()});
    return {};
}

void refuse(const std::string &file, const config::ConfigErrors &errors,
            config::ImportReport &report) {
    for (const config::ConfigError &error : errors.errors)
        report.add(
            {ImportOutcome::kRefused, file, 0, error.path,
             config::ConfigError{"", error.problem, error.expected, error.hint}.to_string()});
}

/// What the importer cannot see: files of TLS, settings that exclude each other.
void check_result(const HdtnRequest &request, config::Imported &made) {
    if (const auto config = config::parse_node_config(made.config); !config)
        refuse(request.config_file, config.error(), made.report);
    if (made.plan.empty()) return;
    if (const auto plan = config::parse_contact_plan(made.plan); !plan)
        refuse(request.plan_file, plan.error(), made.report);
}

}  // namespace

config::Imported read_hdtn(const HdtnRequest &request) {
    config::ImportReport unread;
    config::HdtnFiles files{
        request.config_file, read_into(request.config_file, unread), request.plan_file, {}};
    if (!request.plan_file.empty()) files.plan = read_into(request.plan_file, unread);
    if (unread.refused()) return {{}, {}, std::move(unread)};
    std::error_code error;
    config::HdtnChoices choices;
    choices.unix_timestamps = request.unix_timestamps;
    choices.trust_like_hdtn = request.trust_like_hdtn;
    choices.working_folder = std::filesystem::current_path(error).string();
    choices.exists = [](const std::string &file) {
        std::error_code ignored;
        return std::filesystem::is_regular_file(file, ignored);
    };
    config::Imported made = import_hdtn(files, choices);
    if (!made.report.refused()) check_result(request, made);
    if (made.report.refused()) made.config = made.plan = {};
    return made;
}

}  // namespace farlink
