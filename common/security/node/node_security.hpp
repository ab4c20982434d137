// SPDX-License-Identifier: Apache-2.0
// The security of bundles at one instance of ingress: reads the keys, opens the counters of
// initialization vectors, and makes the gate that ingress asks.
// Owned by the ingress agent; its thread only. It outlives the gates, which borrow from it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/security/iv_file.hpp"
#include "common/security/policy/policy_gate.hpp"

namespace farlink::security {

/// What is wrong with the rules and their keys, a line for each error. Any thread.
[[nodiscard]] std::vector<std::string> check_node_security(const config::SecurityConfig &security);

class NodeSecurity final : public IvSources {
public:
    /// `folder`: of the node's state.
    NodeSecurity(NodeNumber node, std::size_t instance, std::string folder);
    ~NodeSecurity() override;

    /// With the keys as they are on disk now; an error is a sentence.
    [[nodiscard]] Result<std::unique_ptr<BundleGate>, std::string> make_gate(
        const config::SecurityConfig &security);
    /// Without any key, so that each operation fails.
    [[nodiscard]] std::unique_ptr<BundleGate> make_closed_gate(
        const config::SecurityConfig &security);

    [[nodiscard]] bp::bpsec::IvSource *source_for(const std::string &key) override;

private:
    struct Counter {
        bp::bpsec::Secret secret;
        std::unique_ptr<IvFile> file;
        std::unique_ptr<bp::bpsec::IvCounter> ivs;
    };
    [[nodiscard]] std::string open_counters(const config::SecurityConfig &security,
                                            const std::vector<Key> &keys);
    [[nodiscard]] Result<Counter *, std::string> counter_of(const Key &key);

    class Random;

    const NodeNumber node_;
    const std::size_t instance_;
    const std::string folder_;
    std::unique_ptr<Random> random_;
    /// Two keys are one if their octets are: a counter is never begun a second time.
    std::vector<std::unique_ptr<Counter>> counters_;
    std::map<std::string, Counter *> by_key_;
};

}  // namespace farlink::security
