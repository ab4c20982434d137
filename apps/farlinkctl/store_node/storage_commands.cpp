// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_node/storage_commands.hpp"

#include "apps/farlinkctl/node/control_commands.hpp"
#include "apps/farlinkctl/node/state_commands.hpp"
#include "apps/farlinkctl/store_node/node_bundles.hpp"
#include "apps/farlinkctl/store_node/store_task.hpp"

namespace farlink::ctl {
namespace {

/// The name of the command in a request.
const char *request_name(StorageVerb verb) {
    switch (verb) {
        case StorageVerb::kSets:
            return "storage sets";
        case StorageVerb::kShow:
            return "storage show";
        case StorageVerb::kDelete:
            return "storage delete";
        case StorageVerb::kHold:
            return "storage hold";
        case StorageVerb::kRelease:
            return "storage release";
        case StorageVerb::kHolds:
            return "storage holds";
        default:
            return "storage list";
    }
}

}  // namespace

int run_on_node(const StorageOptions &options) {
    if (options.verb == StorageVerb::kExport) return export_kept(options);
    if (options.decoded) return show_decoded(options);
    if (options.verb == StorageVerb::kVerify || options.verb == StorageVerb::kCompact)
        return run_task(options);
    const bool overview = options.verb == StorageVerb::kShow && options.bundles.empty() &&
                          options.destination.empty() && !options.all;
    if (overview) {
        StateOptions state;
        state.verb = StateVerb::kStorage;
        state.node = options.node;
        state.json = options.json;
        return look_at_node(state);
    }
    ControlOptions control;
    control.command = request_name(options.verb);
    control.node = options.node;
    control.json = options.json;
    control.storage = options;
    return command_node(control);
}

}  // namespace farlink::ctl
