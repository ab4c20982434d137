// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceivefile/options.hpp"

#include <CLI/CLI.hpp>

#include "apps/shared/messages/shared_options.hpp"
#include "apps/shared/options/tool_options.hpp"

namespace farlink::bpreceivefile {
namespace {

/// ADUs in memory at a time; each may have some megabytes.
constexpr std::uint32_t kWindow = 16;
constexpr std::uint64_t kMostOpen = 10'000;

void declare_files(CLI::App &app, Arguments &arguments) {
    messages::declare_endpoint(app, arguments.node);
    app.add_option("folder", arguments.folder, "folder beneath which files are written")
        ->required();
    app.add_option("--existing", arguments.existing,
                   "if a file with the name exists: keep it and drop the new file, replace it, or "
                   "rename the new file by adding a number")
        ->check(CLI::IsMember({"keep", "replace", "rename"}))
        ->capture_default_str();
}

void declare_limits(CLI::App &app, Arguments &arguments) {
    app.add_option("--most-open", arguments.most_open,
                   "maximum number of incomplete files; pieces of further files are refused")
        ->transform(amount("files", 1, kMostOpen))
        ->capture_default_str();
    app.add_option("--most-open-bytes", arguments.most_open_bytes,
                   "maximum bytes of incomplete files, such as 10G; 0: no limit")
        ->transform(amount("bytes", 0, std::uint64_t{1} << 60))
        ->capture_default_str();
    app.add_option(
           "--longest-age", arguments.longest_age_s,
           "time without a further piece after which an incomplete file is deleted, seconds")
        ->check(CLI::Range(1.0, 1e9))
        ->capture_default_str();
}

}  // namespace

void declare(CLI::App &app, Arguments &arguments) {
    arguments.node.window = kWindow;
    declare_files(app, arguments);
    declare_limits(app, arguments);
    app.add_option("--count", arguments.count, "end after this number of files")
        ->transform(amount("files", 1));
    messages::declare_silence_timeout(app, arguments.timeout_s);
    messages::declare_node(app, arguments.node);
    messages::declare_progress(app, arguments.progress);
    app.add_flag("--json", arguments.json,
                 "print a line of JSON for each file, folder and refusal and a summary");
}

std::string wrong_arguments(const Arguments &arguments) {
    const std::string error = messages::wrong_endpoint(arguments.node.endpoint);
    if (!error.empty()) return "endpoint: " + error;
    return arguments.folder.empty() ? "folder: found an empty text; expected the path of a folder"
                                    : "";
}

WriterOptions options_of(const Arguments &arguments) {
    return {
        .existing = arguments.existing == "keep"      ? Existing::kKeep
                    : arguments.existing == "replace" ? Existing::kReplace
                                                      : Existing::kRename,
        .most_open = static_cast<std::size_t>(arguments.most_open),
        .most_open_bytes = arguments.most_open_bytes,
        .longest_age = std::chrono::seconds(static_cast<std::int64_t>(arguments.longest_age_s))};
}

}  // namespace farlink::bpreceivefile
