// SPDX-License-Identifier: Apache-2.0
#include "common/security/node/node_security.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "common/runtime/entropy.hpp"
#include "common/security/key_reader.hpp"

namespace farlink::security {
namespace {

bool encrypts_with(const config::SecurityConfig &security, const Key &key) {
    return std::ranges::any_of(security.rules, [&](const config::SecurityRule &rule) {
        return rule.role == config::SecurityRole::kSource &&
               rule.context == config::SecurityContext::kConfidentiality &&
               std::ranges::find(rule.keys, key.id) != rule.keys.end();
    });
}

}  // namespace

class NodeSecurity::Random final : public bp::bpsec::RandomSource {
public:
    void fill(MutableBytes octets) override { fill_random(octets); }
};

std::vector<std::string> check_node_security(const config::SecurityConfig &security) {
    if (security.key_store.empty()) return {};
    const auto keys = read_keys(security.key_store);
    if (!keys) return {"security.keyStore: " + keys.error()};
    return check_keys(security, *keys);
}

NodeSecurity::NodeSecurity(NodeNumber node, std::size_t instance, std::string folder)
    : node_(node),
      instance_(instance),
      folder_(std::move(folder)),
      random_(std::make_unique<Random>()) {}

NodeSecurity::~NodeSecurity() = default;

Result<std::unique_ptr<BundleGate>, std::string> NodeSecurity::make_gate(
    const config::SecurityConfig &security) {
    std::vector<Key> keys;
    if (!security.key_store.empty()) {
        auto read = read_keys(security.key_store);
        if (!read) return fail(std::move(read.error()));
        keys = std::move(*read);
    }
    if (const auto wrong = check_keys(security, keys); !wrong.empty()) return fail(wrong.front());
    if (auto wrong = open_counters(security, keys); !wrong.empty()) return fail(std::move(wrong));
    return std::unique_ptr<BundleGate>(
        std::make_unique<PolicyGate>(security, node_, keys, GateSources{*random_, *this}));
}

std::unique_ptr<BundleGate> NodeSecurity::make_closed_gate(const config::SecurityConfig &security) {
    return std::make_unique<PolicyGate>(security, node_, std::vector<Key>(),
                                        GateSources{*random_, *this});
}

bp::bpsec::IvSource *NodeSecurity::source_for(const std::string &key) {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : found->second->ivs.get();
}

std::string NodeSecurity::open_counters(const config::SecurityConfig &security,
                                        const std::vector<Key> &keys) {
    std::map<std::string, Counter *> opened;
    for (const Key &key : keys) {
        if (!encrypts_with(security, key)) continue;
        const auto counter = counter_of(key);
        if (!counter) return "key " + key.id + ": " + counter.error();
        opened[key.id] = *counter;
    }
    by_key_ = std::move(opened);
    return {};
}

Result<NodeSecurity::Counter *, std::string> NodeSecurity::counter_of(const Key &key) {
    for (const auto &counter : counters_)
        if (bp::bpsec::equal_in_constant_time(counter->secret.octets(), key.secret.octets()))
            return counter.get();
    const std::string folder = (std::filesystem::path(folder_) / "ivs").string();
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return fail(folder + ": " + error.message());
    auto file = IvFile::open(
        folder, {node_.value(), static_cast<std::uint8_t>(instance_), key.secret.octets()});
    if (!file) return fail(std::move(file.error()));
    auto counter = std::make_unique<Counter>();
    counter->secret = key.secret.clone();
    counter->file = std::move(*file);
    counter->ivs = std::make_unique<bp::bpsec::IvCounter>(*counter->file);
    return counters_.emplace_back(std::move(counter)).get();
}

}  // namespace farlink::security
