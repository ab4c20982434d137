// SPDX-License-Identifier: Apache-2.0
#include "common/config/load_node_config.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "common/bp/eid/eid.hpp"
#include "common/config/link_url.hpp"
#include "common/config/node_fields.hpp"
#include "common/config/section_checker.hpp"
#include "common/config/text_file.hpp"

namespace farlink::config {
namespace {

/// Checks what a single field cannot know. A field that was wrong already is 0 or empty here and
/// is passed over.
class CrossChecks {
public:
    CrossChecks(const NodeConfig &config, std::vector<ConfigError> &errors)
        : config_(config), errors_(errors) {}

    void run() {
        check_node();
        for (std::size_t i = 0; i < config_.inducts.size(); ++i) check_induct(i);
        for (std::size_t i = 0; i < config_.outducts.size(); ++i) check_outduct(i);
        check_storage();
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
                "a number of this node's own");
    }

    void check_induct(std::size_t index) {
        const InductConfig &induct = config_.inducts[index];
        const std::string path = item_path("inductsConfig", index);
        if (config_.buffer_bytes != 0 && induct.max_bundle_size_bytes > config_.buffer_bytes)
            add(path + ".maxBundleSizeBytes",
                "found " + std::to_string(induct.max_bundle_size_bytes) +
                    ", which is more than bufferBytes",
                "at most " + std::to_string(config_.buffer_bytes) + " (bytes)");
        if (induct.url.scheme.empty() || induct.url.port == 0) return;
        for (std::size_t earlier = 0; earlier < index; ++earlier) {
            const LinkUrl &other = config_.inducts[earlier].url;
            if (other.host == induct.url.host && other.port == induct.url.port)
                add(path + ".url",
                    "found the address of " + item_path("inductsConfig", earlier) + " again",
                    "an address of its own");
        }
    }

    void check_outduct(std::size_t index) {
        const OutductConfig &outduct = config_.outducts[index];
        const std::string path = item_path("outductsConfig", index);
        if (!outduct.url.scheme.empty()) check_destination(outduct.url, path + ".url");
        if (outduct.next_hop != NodeNumber{}) check_next_hop(index, path + ".nextHopNodeId");
        const auto as_ms = [](Duration time) {
            return std::to_string(std::chrono::duration_cast<milliseconds>(time).count());
        };
        if (outduct.reconnect_max != Duration{} && outduct.reconnect_min > outduct.reconnect_max)
            add(path + ".reconnectMinMilliseconds",
                "found " + as_ms(outduct.reconnect_min) +
                    ", which is more than reconnectMaxMilliseconds",
                "at most " + as_ms(outduct.reconnect_max) + " (milliseconds)");
    }

    void check_destination(const LinkUrl &url, const std::string &path) {
        if (url.port == 0) add(path, "found port 0", "the port where the neighbour listens");
        if (url.host == "0.0.0.0" || url.host == "::")
            add(path, "found " + in_quotes(url.host) + ", which is no address to connect to",
                "the neighbour's host name or address");
    }

    void check_next_hop(std::size_t index, const std::string &path) {
        const NodeNumber next_hop = config_.outducts[index].next_hop;
        const std::string found = "found " + std::to_string(next_hop.value());
        if (next_hop == config_.node) add(path, found + ", which is this node", "another node");
        if (next_hop == NodeNumber{bp::kLocalNodeNumber})
            add(path, found + ", which means \"the local node\" everywhere", "another node");
        for (std::size_t earlier = 0; earlier < index; ++earlier)
            if (config_.outducts[earlier].next_hop == next_hop) {
                add(path,
                    found + ", the neighbour of " + item_path("outductsConfig", earlier) + " too",
                    "one outduct for each neighbour",
                    "a contact plan names nodes and could not tell the two apart");
                return;
            }
    }

    void check_storage() {
        const StorageConfig &storage = config_.storage;
        if (storage.capacity_bytes != 0 && storage.segment_bytes > storage.capacity_bytes)
            add("storageConfig.segmentBytes",
                "found " + std::to_string(storage.segment_bytes) +
                    ", which is more than totalStorageCapacityBytes",
                "at most " + std::to_string(storage.capacity_bytes) + " (bytes)");
    }

    void check_any_link() {
        const auto about_links = [](const ConfigError &error) {
            return error.path.starts_with("inductsConfig") ||
                   error.path.starts_with("outductsConfig");
        };
        const bool none = config_.inducts.empty() && config_.outducts.empty();
        if (none && std::ranges::none_of(errors_, about_links))
            add("", "no link", "at least one entry in inductsConfig or outductsConfig");
    }

    const NodeConfig &config_;
    std::vector<ConfigError> &errors_;
};

void number_links(NodeConfig &config) {
    std::uint32_t next = 0;
    for (InductConfig &induct : config.inducts) induct.id = LinkId{next++};
    for (OutductConfig &outduct : config.outducts) outduct.id = LinkId{next++};
}

/// Defaults that follow from other values.
void fill_computed_defaults(NodeConfig &config, const std::string &folder) {
    constexpr std::uint64_t kShareOfBuffer = 4;
    for (InductConfig &induct : config.inducts)
        if (induct.max_bundle_size_bytes == 0)
            induct.max_bundle_size_bytes = std::min<std::uint64_t>(
                config.buffer_bytes / kShareOfBuffer, std::numeric_limits<std::uint32_t>::max());
    if (config.storage.directory.empty())
        config.storage.directory = "farlink-store-" + std::to_string(config.node.value());
    const std::filesystem::path base(folder);
    config.storage.directory = (base / config.storage.directory).string();
    if (!config.contact_plan_file.empty())
        config.contact_plan_file = (base / config.contact_plan_file).string();
}

}  // namespace

Result<NodeConfig, ConfigErrors> parse_node_config(std::string_view json,
                                                   const std::string &folder) {
    ConfigErrors errors;
    const auto object = check_document(node_table().info(), json, errors.errors);
    if (!object) return fail(std::move(errors));
    NodeConfig config = node_table().build(*object);
    CrossChecks(config, errors.errors).run();
    if (!errors.errors.empty()) return fail(std::move(errors));
    number_links(config);
    fill_computed_defaults(config, folder);
    return config;
}

Result<NodeConfig, ConfigErrors> load_node_config(const std::string &path) {
    const auto text = read_text_file(path);
    if (!text) return fail(ConfigErrors{path, {text.error()}});
    auto config = parse_node_config(*text, std::filesystem::path(path).parent_path().string());
    if (!config) config.error().source = path;
    return config;
}

}  // namespace farlink::config
