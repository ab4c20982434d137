// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_files/store_choice.hpp"

#include <unordered_set>

#include "common/bp/eid/eid.hpp"
#include "common/bp/eid/eid_pattern.hpp"

namespace farlink::ctl {

bool is_for(const StoredBundle &bundle, const std::string &destination) {
    if (destination.empty() || bundle.destination == destination) return true;
    const auto pattern = bp::EidPattern::parse(destination);
    const auto endpoint = bp::Eid::parse(bundle.destination);
    return pattern && endpoint && pattern->matches(endpoint->view());
}

Result<std::vector<const StoredBundle *>, std::string> choose(const StoreFiles &store,
                                                              const StorageOptions &options) {
    std::vector<const StoredBundle *> chosen;
    std::unordered_set<const StoredBundle *> seen;
    const auto add = [&](const StoredBundle &bundle) {
        // A piece stands for its bundle, which is chosen once.
        const StoredBundle *const first = store.records_of(bundle).front();
        if (bundle.piece() == nullptr || seen.insert(first).second) chosen.push_back(first);
    };
    for (const std::string &name : options.bundles) {
        const auto record = parse_record(name);
        const StoredBundle *bundle = record ? store.find(*record) : nullptr;
        if (bundle == nullptr) return fail("record " + name + ": no such bundle");
        add(*bundle);
    }
    if (!options.bundles.empty()) return chosen;
    for (const StoredBundle &bundle : store.bundles())
        if (options.all || is_for(bundle, options.destination)) add(bundle);
    return chosen;
}

}  // namespace farlink::ctl
