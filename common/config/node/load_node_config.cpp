// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/load_node_config.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "common/bp/eid/eid.hpp"
#include "common/bp/eid/eid_pattern.hpp"
#include "common/config/applications/applications_fields.hpp"
#include "common/config/fields/section_checker.hpp"
#include "common/config/fields/text_file.hpp"
#include "common/config/link/link_checks.hpp"
#include "common/config/link/links_together.hpp"
#include "common/config/node/bus_fields.hpp"
#include "common/config/node/node_fields.hpp"
#include "common/config/node/routing_fields.hpp"
#include "common/config/node/shown_config.hpp"
#include "common/config/node/threads_fields.hpp"
#include "common/config/operations/alarms_fields.hpp"
#include "common/config/operations/api_fields.hpp"
#include "common/config/operations/history_fields.hpp"
#include "common/config/security/security_fields.hpp"

namespace farlink::config {
namespace {

std::vector<std::string> store_folders(const StorageConfig &storage) {
    std::vector<std::string> folders{storage.directory};
    for (const StorageDiskConfig &disk : storage.disks) folders.push_back(disk.directory);
    return folders;
}

/// Equal for different spellings of the same folder.
std::filesystem::path folder(const std::string &text) {
    const auto path = std::filesystem::path(text).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
}

constexpr std::size_t kMostDisks = 16;
constexpr std::size_t kMostQuotas = 64;

/// Checks fields against each other. An invalid field is 0 or empty here and is skipped.
class CrossChecks {
public:
    CrossChecks(const NodeConfig &config, const LinkContext &context,
                std::vector<ConfigError> &errors)
        : config_(config), context_(context), errors_(errors) {
        before_.may_share = true;
        before_.node = config.node;
    }

    void run() {
        check_node();
        for (std::size_t i = 0; i < config_.inducts.size(); ++i) check_induct(i);
        for (std::size_t i = 0; i < config_.outducts.size(); ++i) check_outduct(i);
        check_storage();
        check_custody();
        check_routing(config_.routing, config_.node, errors_);
        check_bus(config_.bus, errors_);
        check_threads(config_, errors_);
        check_applications(config_.applications, config_.node, config_.echo_service, errors_);
        check_api(config_.api, errors_);
        check_alarms(config_.alarms, errors_);
        check_history(config_.history, store_folders(config_.storage), errors_);
        if (config_.security) check_security(*config_.security, errors_);
        check_listeners();
        check_any_link();
    }

private:
    void add(std::string path, std::string problem, std::string expected, std::string hint = {}) {
        errors_.push_back(
            {std::move(path), std::move(problem), std::move(expected), std::move(hint)});
    }

    void check_node() {
        if (config_.node == NodeNumber{bp::kLocalNodeNumber})
            add("myNodeId", "found 4294967295, which means \"the local node\" everywhere",
                "another number");
    }

    void check_induct(std::size_t index) {
        const InductConfig &induct = config_.inducts[index];
        const std::string path = item_path("inductsConfig", index);
        check_link(induct, context_, path, errors_);
        check_among(induct, before_, path, errors_);
        before_.inducts.push_back({path, &induct});
    }

    void check_outduct(std::size_t index) {
        const OutductConfig &outduct = config_.outducts[index];
        const std::string path = item_path("outductsConfig", index);
        check_link(outduct, context_, path, errors_);
        check_among(outduct, before_, path, errors_);
        before_.outducts.push_back({path, &outduct});
    }

    void check_storage() {
        const StorageConfig &storage = config_.storage;
        if (storage.capacity_bytes != 0 && storage.segment_bytes > storage.capacity_bytes)
            add("storageConfig.segmentBytes",
                "found " + std::to_string(storage.segment_bytes) +
                    ", which is more than totalStorageCapacityBytes",
                "at most " + std::to_string(storage.capacity_bytes) + " (bytes)");
        if (!storage.directory.empty() && !storage.disks.empty())
            add("storageConfig.storeFilePath", "found together with storageDiskConfigVector",
                "one of the two");
        if (storage.disks.size() > kMostDisks)
            add("storageConfig.storageDiskConfigVector",
                "found " + std::to_string(storage.disks.size()) + " disks",
                "at most " + std::to_string(kMostDisks));
        for (std::size_t i = 0; i < storage.disks.size(); ++i) check_disk(i);
        if (storage.expedited_reserve_bytes > storage.capacity_bytes)
            add("storageConfig.reserveForExpeditedBytes",
                "found " + std::to_string(storage.expedited_reserve_bytes) +
                    ", which is more than totalStorageCapacityBytes",
                "at most " + std::to_string(storage.capacity_bytes) + " (bytes)");
        if (storage.quotas.size() > kMostQuotas)
            add("storageConfig.quotas",
                "found " + std::to_string(storage.quotas.size()) + " quotas",
                "at most " + std::to_string(kMostQuotas));
        for (std::size_t i = 0; i < storage.quotas.size(); ++i)
            check_quota(storage.quotas[i], item_path("storageConfig.quotas", i));
    }

    void check_custody() {
        const std::vector<std::string> &from = config_.custody.signals_from;
        for (std::size_t i = 0; i < from.size(); ++i)
            if (!bp::EidPattern::parse(from[i]))
                add(item_path("custodySignalsFrom", i), "found \"" + from[i] + '"',
                    "an endpoint such as ipn:10.0, ipn:10.* or dtn://name/*");
    }

    void check_quota(const StorageQuota &quota, const std::string &path) {
        if (quota.source.empty() == quota.destination.empty())
            return add(path, quota.source.empty() ? "no endpoint" : "found both endpoints",
                       "either source or destination");
        const std::string &text = quota.source.empty() ? quota.destination : quota.source;
        if (!bp::EidPattern::parse(text))
            add(path + (quota.source.empty() ? ".destination" : ".source"), "found \"" + text + '"',
                "an endpoint such as ipn:10.1, ipn:10.* or dtn://name/*");
    }

    void check_disk(std::size_t index) {
        const StorageConfig &storage = config_.storage;
        const StorageDiskConfig &disk = storage.disks[index];
        const std::string path = item_path("storageConfig.storageDiskConfigVector", index);
        if (disk.capacity_bytes != 0 && storage.segment_bytes > disk.capacity_bytes)
            add(path + ".capacityBytes",
                "found " + std::to_string(disk.capacity_bytes) +
                    ", which is less than segmentBytes",
                "at least " + std::to_string(storage.segment_bytes) + " (bytes)");
        for (std::size_t earlier = 0; earlier < index; ++earlier) {
            const std::string other = item_path("storageConfig.storageDiskConfigVector", earlier);
            const StorageDiskConfig &before = storage.disks[earlier];
            if (!disk.directory.empty() && folder(before.directory) == folder(disk.directory))
                add(path + ".storeFilePath", "found the folder of " + other + " again",
                    "another folder");
            if (!disk.name.empty() && before.name == disk.name)
                add(path + ".name", "found the name of " + other + " again",
                    "a unique name, by which the log distinguishes them");
        }
    }

    /// One listener for each TCP address and for each path of a socket.
    void check_listeners() {
        check_listener("applications.listen", config_.applications.listen);
        check_listener("api.listen", config_.api.listen);
        const auto path = [](const std::string &text) {
            return std::filesystem::path(text).lexically_normal();
        };
        const std::string &socket = config_.applications.socket;
        if (!socket.empty() && path(socket) == path(config_.control_socket))
            add("applications.socket", "found the path of controlSocket again", "another path");
        const auto api = parse_listen(config_.api.listen);
        const auto applications = parse_listen(config_.applications.listen);
        if (api && applications && api->port != 0 && api->port == applications->port &&
            same_address(api->address, applications->address))
            add("api.listen", "found the address of applications.listen again", "another address");
    }

    void check_listener(const char *key, const std::string &text) {
        const auto listen = parse_listen(text);
        if (!listen) return;
        const std::string other = whose_tcp_address(listen->address, listen->port, before_);
        if (!other.empty()) add(key, "found the address of " + other + " again", "another address");
    }

    void check_any_link() {
        const auto about_links = [](const ConfigError &error) {
            return error.path.starts_with("inductsConfig") ||
                   error.path.starts_with("outductsConfig");
        };
        const bool none = config_.inducts.empty() && config_.outducts.empty();
        if (none && !config_.applications.wanted() && std::ranges::none_of(errors_, about_links))
            add("", "no link", "at least one entry in inductsConfig or outductsConfig");
    }

    const NodeConfig &config_;
    const LinkContext &context_;
    std::vector<ConfigError> &errors_;
    OtherLinks before_;  ///< the links that are checked
};

void number_links(NodeConfig &config) {
    std::uint32_t next = 0;
    for (InductConfig &induct : config.inducts) induct.id = LinkId{next++};
    for (OutductConfig &outduct : config.outducts) outduct.id = LinkId{next++};
    for (OutductConfig &span : config.spans) span.id = LinkId{next++};
}

/// A neighbour that announces a dtn name is the node to which the name belongs.
void name_neighbours(NodeConfig &config) {
    const auto add = [&](NodeNumber node, std::string name) {
        if (node == NodeNumber{} || !name.starts_with("dtn://")) return;
        if (!name.ends_with('/')) name += '/';
        config.routing.nodes.push_back({node, {name + "**"}});
    };
    for (const InductConfig &induct : config.inducts)
        for (const NeighbourAddress &known : induct.neighbours) add(known.node, known.peer_node_id);
    for (const OutductConfig &outduct : config.outducts)
        add(outduct.next_hop, outduct.peer_node_id);
}

void place_key_store(NodeConfig &config, const std::string &folder) {
    if (!config.security || config.security->key_store.empty()) return;
    std::string &keys = config.security->key_store;
    keys = (std::filesystem::path(folder) / keys).string();
}

/// Defaults that depend on other values.
void fill_computed_defaults(NodeConfig &config, const LinkContext &context) {
    for (InductConfig &induct : config.inducts) fill_link_defaults(induct, context);
    for (OutductConfig &outduct : config.outducts) fill_link_defaults(outduct, context);
    for (OutductConfig &span : config.spans) fill_link_defaults(span, context);
    const std::filesystem::path base(context.folder);
    StorageConfig &storage = config.storage;
    if (storage.disks.empty()) {
        if (storage.directory.empty())
            storage.directory = "farlink-store-" + std::to_string(config.node.value());
        storage.disks.push_back({.name = {}, .directory = storage.directory});
    }
    for (StorageDiskConfig &disk : storage.disks) {
        disk.directory = (base / disk.directory).string();
        if (disk.name.empty()) disk.name = disk.directory;
    }
    drop_refused_keys(config.bus);
    if (!config.bus.secret_key_file.empty())
        config.bus.secret_key_file = (base / config.bus.secret_key_file).string();
    if (!config.control_socket.empty())
        config.control_socket = (base / config.control_socket).string();
    if (config.state_folder.empty())
        config.state_folder = "farlink-state-" + std::to_string(config.node.value());
    config.state_folder = (base / config.state_folder).string();
    if (!config.applications.socket.empty())
        config.applications.socket = (base / config.applications.socket).string();
    for (std::string *file :
         {&config.api.tokens_file, &config.api.tls.certificate_file, &config.api.tls.key_file,
          &config.api.webui_folder, &config.api.audit_file, &config.alarms.command})
        if (!file->empty()) *file = (base / *file).string();
    if (config.api.audit_file.empty())
        config.api.audit_file = (std::filesystem::path(config.state_folder) / "audit.jsonl");
    if (config.history.folder.empty())
        config.history.folder = (std::filesystem::path(config.state_folder) / "history").string();
    else
        config.history.folder = (base / config.history.folder).string();
    if (config.history.bundles_folder.empty())
        config.history.bundles_folder =
            (std::filesystem::path(config.history.folder) / "bundles").string();
    else
        config.history.bundles_folder = (base / config.history.bundles_folder).string();
    if (!config.contact_plan_file.empty())
        config.contact_plan_file = (base / config.contact_plan_file).string();
    place_key_store(config, context.folder);
}

}  // namespace

Result<NodeConfig, ConfigErrors> parse_node_config(std::string_view json,
                                                   const std::string &folder) {
    ConfigErrors errors;
    const auto object = check_document(node_table().info(), json, errors.errors);
    if (!object) return fail(std::move(errors));
    NodeConfig config = node_table().build(*object);
    const LinkContext context{config.node, config.buffer_bytes, folder};
    CrossChecks(config, context, errors.errors).run();
    if (!errors.errors.empty()) return fail(std::move(errors));
    config.spans = take_spans(config.inducts, config.outducts);
    number_links(config);
    fill_computed_defaults(config, context);
    name_neighbours(config);
    config.parts = parts_to_agree_on(json);
    config.shown = shown_config(json);
    return config;
}

std::vector<std::string> old_keys_in(const std::string &path) {
    const auto text = read_text_file(path);
    if (!text) return {};
    const auto document = parse_json(*text);
    return document ? renamed_key_warnings(node_table().info(), *document)
                    : std::vector<std::string>{};
}

Result<NodeConfig, ConfigErrors> load_node_config(const std::string &path) {
    const auto text = read_text_file(path);
    if (!text) return fail(ConfigErrors{path, {text.error()}});
    auto config = parse_node_config(*text, std::filesystem::path(path).parent_path().string());
    if (!config) config.error().source = path;
    return config;
}

}  // namespace farlink::config
