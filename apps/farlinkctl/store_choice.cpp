// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_choice.hpp"

namespace farlink::ctl {

Result<std::vector<const StoredBundle *>, std::string> choose(const StoreFiles &store,
                                                              const StoreOptions &options) {
    std::vector<const StoredBundle *> chosen;
    for (const std::string &name : options.records) {
        const auto record = parse_record(name);
        const StoredBundle *bundle = record ? store.find(*record) : nullptr;
        if (bundle == nullptr) return fail("record " + name + ": there is no such bundle");
        chosen.push_back(bundle);
    }
    if (!options.records.empty()) return chosen;
    for (const StoredBundle &bundle : store.bundles())
        if (options.all || bundle.destination == options.destination) chosen.push_back(&bundle);
    return chosen;
}

}  // namespace farlink::ctl
