// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_files/store_holds.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/farlinkctl/shared/failed.hpp"
#include "apps/farlinkctl/store_files/storage_reply.hpp"
#include "apps/farlinkctl/store_files/store_print.hpp"
#include "common/config/fields/json_document.hpp"
#include "common/config/fields/text_file.hpp"
#include "common/json/exact_number.hpp"
#include "module/control/state/held_destinations_file.hpp"
#include "module/storage/store/directory/posix_directory.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

/// The number of the node that owns the folder; 0 when no file has it.
NodeNumber owner_of(const std::string &folder) {
    for (const char *name : {"/held-destinations.json", "/contact-plan.json"}) {
        const auto text = config::read_text_file(folder + name);
        if (!text || config::nested_too_deeply(*text)) continue;
        const Json state = Json::parse(*text, nullptr, false);
        const auto node = state.is_object() ? state.find("node") : state.end();
        if (state.is_object() && node != state.end() && node->is_number_unsigned())
            return NodeNumber{node->get<std::uint64_t>()};
    }
    return {};
}

}  // namespace

int change_holds(const StorageOptions &options) {
    const std::string &folder = options.directory;
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) return failed(folder + ": no such folder");
    storage::PosixDirectory directory(folder);
    if (const auto locked = directory.lock(); !locked)
        return failed(folder + (locked.error() == storage::FileError::kLocked
                                    ? ": in use by a running node; omit --dir"
                                    : ": cannot be read or locked"));
    const NodeNumber node = owner_of(folder);
    if (node == NodeNumber{})
        return failed(folder +
                      ": the owner of this stateFolder is unknown; use `storage hold` "
                      "while the node runs");
    const control::HeldDestinationsFile file(node, folder);
    control::HeldDestinations holds(file.read());
    if (options.held && NodeNumber{*options.held} == node)
        return failed("bundles for the node itself cannot be held: they are delivered");
    const bool hold = options.verb == StorageVerb::kHold;
    if (options.held && hold && holds.held().size() >= control::HeldDestinations::kMostHeld)
        return failed("the limit of held nodes is reached; release a node first");
    if (options.held && !hold && !holds.held().contains(NodeNumber{*options.held}))
        return failed("bundles for node " + std::to_string(*options.held) + " are not held");
    if (options.held) {
        const NodeNumber changed{*options.held};
        auto next = hold ? holds.with(changed) : holds.without(changed);
        if (const auto wrong = file.write(next); !wrong.empty()) return failed(wrong);
        holds.take(std::move(next));
    }
    Json reply{{"held", Json::array()}};
    for (const NodeNumber each : holds.held()) reply["held"].push_back(exact_json(each.value()));
    if (options.json)
        print_line(reply);
    else
        print_holds(reply);
    return kExitClean;
}

}  // namespace farlink::ctl
