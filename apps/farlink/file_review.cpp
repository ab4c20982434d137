// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/file_review.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/bus/zmq/ipc_address.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/process/processors.hpp"
#include "common/runtime/socket_path.hpp"
#include "module/applications/peer_credentials.hpp"
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
    const bool exists = fs::exists(folder, error);
    if (::access(place.c_str(), (exists ? R_OK : 0) | W_OK | X_OK) != 0)
        return place.string() + ": " + std::generic_category().message(errno);
    return {};
}

/// The error of a file that is made with its folder when it is missing, or nothing.
std::string wrong_with_file(const std::string &file) {
    std::error_code error;
    if (fs::is_directory(file, error)) return file + ": found a folder; expected a file";
    return wrong_with_folder(fs::path(file).parent_path().string());
}

/// Whether the start makes the folder of a socket, with one of its `own` folders.
bool is_made_at_start(const std::string &folder, const std::vector<std::string> &own) {
    const auto normal = [](const std::string &path) {
        std::error_code error;
        return fs::absolute(path, error).lexically_normal();
    };
    return std::ranges::any_of(own, [&](const std::string &each) {
        const fs::path beneath = normal(each).lexically_relative(normal(folder));
        return !beneath.empty() && *beneath.begin() != "..";
    });
}

/// A service manager makes the folder of a service beneath /run (RuntimeDirectory= of systemd).
bool is_missing_in_run(const std::string &socket) {
    std::error_code error;
    return socket.starts_with("/run/") && !fs::exists(socket_folder(socket), error);
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
        if (choice_.has(bus::AgentId::kSupervisor))
            review_socket("controlSocket", config_.control_socket, {config_.state_folder});
        if (choice_.has(bus::AgentId::kApplications)) review_applications();
        if (!choice_.all()) review_bus();
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
    /// `own`: folders that the start makes before this socket.
    void review_socket(const char *key, const std::string &path,
                       const std::vector<std::string> &own) {
        if (path.empty()) return;
        std::error_code error;
        const std::string folder = socket_folder(path);
        const bool comes = is_missing_in_run(path) ||
                           (!fs::exists(folder, error) && is_made_at_start(folder, own));
        note(key, comes ? wrong_socket_name(path) : wrong_socket_path(path));
    }
    void review_applications() {
        std::vector<std::string> own;
        if (choice_.has(bus::AgentId::kStorage))
            for (const config::StorageDiskConfig &disk : config_.storage.disks)
                own.push_back(disk.directory);
        const bool keeps_state = !config_.control_socket.empty() || config_.api.wanted();
        if (keeps_state) own.push_back(config_.state_folder);
        review_socket("applications.socket", config_.applications.socket, own);
        if (std::string wrong = applications::wrong_socket_group(config_.applications);
            !wrong.empty())
            lines_.push_back(std::move(wrong));
    }
    void review_bus() {
        for (std::size_t at = 0; at < bus::kAgentCount; ++at) {
            const auto module = static_cast<bus::AgentId>(at);
            const std::string &address = config_.bus.addresses[at];
            if (!choice_.here[at] || is_missing_in_run(bus::ipc_path(address))) continue;
            if (std::string wrong = bus::wrong_ipc_address(address, module); !wrong.empty())
                lines_.push_back(std::move(wrong));
        }
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
    for (const auto &[key, socket] : {std::pair("controlSocket", config.control_socket),
                                      std::pair("applications.socket", config.applications.socket)})
        if (is_missing_in_run(socket))
            lines.push_back(
                std::string(key) + ": " + socket +
                ": the folder does not exist; the node starts only if a service manager makes "
                "this folder");
    const bool kept = config.api.wanted() || !config.control_socket.empty();
    if (kept && config.history.enabled) {
        if (const std::string wrong = wrong_with_folder(config.history.folder); !wrong.empty())
            lines.push_back("history.folder: " + wrong + "; no history is written");
        const std::string wrong = wrong_with_folder(config.history.bundles_folder);
        if (config.history.bundles > 0 && !wrong.empty())
            lines.push_back("history.bundlesFolder: " + wrong +
                            "; the bundle history is not written");
    }
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
