// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/file_review.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/runtime/clock.hpp"
#include "common/runtime/process/processors.hpp"
#include "common/runtime/socket_path.hpp"
#include "module/telemetry/alarms/certificate_files.hpp"
#include "module/telemetry/core/alarms/node_conditions.hpp"
#include "module/telemetry/http/access/token_store.hpp"
#include "module/telemetry/http/server_tls.hpp"
#if FARLINK_TLS
#include "common/security/node/node_security.hpp"
#endif

namespace farlink::app {
namespace {

namespace fs = std::filesystem;

/// The error of a folder that is made when it is missing, or nothing.
std::string wrong_with_folder(const std::string &folder) {
    std::error_code error;
    fs::path place = fs::absolute(folder, error);
    if (!place.has_filename()) place = place.parent_path();
    while (!fs::exists(place, error) && place != place.root_path()) place = place.parent_path();
    if (!fs::is_directory(place, error))
        return place.string() + ": found a file; expected a folder";
    if (::access(place.c_str(), W_OK | X_OK) != 0)
        return place.string() + ": " + std::generic_category().message(errno);
    return {};
}

/// The error of a file that is made with its folder when it is missing, or nothing.
std::string wrong_with_file(const std::string &file) {
    std::error_code error;
    if (fs::is_directory(file, error)) return file + ": found a folder; expected a file";
    return wrong_with_folder(fs::path(file).parent_path().string());
}

/// The disks of the store whose folder is not usable, a line for each.
std::vector<std::string> wrong_disks(const config::StorageConfig &storage) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < storage.disks.size(); ++at) {
        const std::string wrong = wrong_with_folder(storage.disks[at].directory);
        if (wrong.empty()) continue;
        const std::string section =
            storage.directory.empty()
                ? "storageConfig.storageDiskConfigVector[" + std::to_string(at) + ']'
                : "storageConfig";
        lines.push_back(section + ".storeFilePath: " + wrong);
    }
    return lines;
}

class Review {
public:
    Review(const config::NodeConfig &config, const ModuleChoice &choice)
        : config_(config), choice_(choice) {}

    std::vector<std::string> run() {
        review_processors();
        if (choice_.has(bus::AgentId::kStorage)) review_disks();
        if (choice_.has(bus::AgentId::kSupervisor) || choice_.has(bus::AgentId::kScheduler))
            note("stateFolder", wrong_with_folder(config_.state_folder));
        if (choice_.has(bus::AgentId::kSupervisor) && !config_.control_socket.empty())
            note("controlSocket", wrong_socket_path(config_.control_socket));
        if (choice_.has(bus::AgentId::kApplications) && !config_.applications.socket.empty())
            note("applications.socket", wrong_socket_path(config_.applications.socket));
        if (choice_.has(bus::AgentId::kTelemetry) && config_.api.wanted()) review_api();
        if (choice_.has(bus::AgentId::kTelemetry)) review_alarm_command();
        if (choice_.has_any(bus::AgentId::kIngress) && config_.security) review_security();
        return std::move(lines_);
    }

private:
    void review_processors() {
        for (const bus::AgentId module : choice_.modules()) {
            const auto processor = config_.threads.processors[static_cast<std::size_t>(module)];
            if (processor && !has_processor(*processor))
                note("threads.processors." + std::string(bus::name_of(module)),
                     "found processor " + std::to_string(*processor) +
                         "; expected a processor that this process may use");
        }
    }
    // The node starts as long as one of them is usable.
    void review_disks() {
        const std::vector<std::string> wrong = wrong_disks(config_.storage);
        if (wrong.size() == config_.storage.disks.size())
            lines_.insert(lines_.end(), wrong.begin(), wrong.end());
    }
    void review_api() {
        // The default is in the state folder, which has a line of its own.
        if (fs::path(config_.api.audit_file).parent_path() != fs::path(config_.state_folder))
            note("api.auditFile", wrong_with_file(config_.api.audit_file));
        note("api.tokensFile", telemetry::TokenStore(config_.api.tokens_file).open());
        if (!config_.api.tls.certificate_file.empty())
            note("api.tls", telemetry::ServerTls().load(config_.api.tls));
    }
    void review_alarm_command() {
        const std::string &command = config_.alarms.command;
        if (!command.empty() && ::access(command.c_str(), X_OK) != 0)
            note("alarms.command", command + ": " + std::generic_category().message(errno));
    }
    void review_security() {
#if FARLINK_TLS
        for (std::string &line : security::check_node_security(*config_.security))
            lines_.push_back(std::move(line));
#else
        note("security", "this build has no OpenSSL; expected a build with FARLINK_TLS");
#endif
    }
    void note(const std::string &key, const std::string &wrong) {
        if (!wrong.empty()) lines_.push_back(key + ": " + wrong);
    }

    const config::NodeConfig &config_;
    const ModuleChoice &choice_;
    std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> review_files(const config::NodeConfig &config,
                                      const ModuleChoice &choice) {
    return Review(config, choice).run();
}

std::vector<std::string> warn_of_files(const config::NodeConfig &config) {
    std::vector<std::string> lines = wrong_disks(config.storage);
    // Without any disk the node does not start.
    if (lines.size() == config.storage.disks.size()) lines.clear();
    for (std::string &line : lines) line += "; the node starts without this disk";
    const bool kept = config.api.wanted() || !config.control_socket.empty();
    if (kept && config.history.enabled)
        if (const std::string wrong = wrong_with_folder(config.history.folder); !wrong.empty())
            lines.push_back("history.folder: " + wrong + "; no history is written");
    std::error_code error;
    const std::string &page = config.api.webui_folder;
    if (!page.empty() && !fs::is_regular_file(fs::path(page) / "index.html", error))
        lines.push_back("api.webui: " + page +
                        ": found no index.html; the dashboard is not available");
    return lines;
}

std::vector<std::string> warn_of_certificates(const config::NodeConfig &config) {
    telemetry::CertificateFiles files(config);
    telemetry::AlarmFacts facts;
    if (files.look(monotonic_now())) facts.certificates = files.certificates();
    std::vector<telemetry::Condition> found;
    telemetry::find_certificate_ends(facts, config.alarms, read_wall_clock().dtn_ms, found);
    std::vector<std::string> lines;
    for (telemetry::Condition &each : found)
        if (std::ranges::find(config.alarms.ignored, to_string(each.name)) ==
            config.alarms.ignored.end())
            lines.push_back(std::move(each.text));
    return lines;
}

}  // namespace farlink::app
