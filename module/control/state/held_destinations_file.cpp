// SPDX-License-Identifier: Apache-2.0
#include "module/control/state/held_destinations_file.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/counted.hpp"
#include "common/config/fields/json_document.hpp"
#include "common/config/fields/text_file.hpp"
#include "module/control/state/state_file.hpp"

namespace farlink::control {
namespace {

using Json = nlohmann::ordered_json;
using Nodes = HeldDestinations::Nodes;

bool is_node(const Json &number) {
    return number.is_number_unsigned() && number != 0U;
}

bool is_held_state(const Json &state) {
    if (!state.is_object() || !is_node(state.value("node", Json()))) return false;
    const Json held = state.value("held", Json());
    return held.is_array() && std::ranges::all_of(held, is_node);
}

}  // namespace

Nodes HeldDestinationsFile::read() const {
    std::error_code error;
    if (!std::filesystem::exists(file(), error)) return {};
    const auto text = config::read_text_file(file());
    if (!text) {
        log_.error("{}: {}; no destination is held; repeat `farlinkctl storage hold` for each node",
                   file(), text.error().to_string());
        return {};
    }
    const Json state =
        config::nested_too_deeply(*text) ? Json() : Json::parse(*text, nullptr, false);
    if (!is_held_state(state)) {
        log_.error(
            "{}: file damaged; no destination is held; repeat `farlinkctl storage hold` for each "
            "node",
            file());
        return {};
    }
    if (state["node"] != node_.value()) {
        log_.error("{}: file belongs to node {}; expected node {}; no destination is held", file(),
                   state["node"].dump(), node_.value());
        return {};
    }
    Nodes held;
    for (const Json &node : state["held"]) held.insert(NodeNumber{node.get<std::uint64_t>()});
    if (!held.empty())
        log_.info("bundles for {} held; see `farlinkctl storage holds`",
                  counted(held.size(), "node"));
    return held;
}

std::string HeldDestinationsFile::write(const Nodes &held) const {
    Json state{{"node", node_.value()}, {"held", Json::array()}};
    for (const NodeNumber each : held) state["held"].push_back(each.value());
    if (std::string wrong = make_state_folder(folder_); !wrong.empty()) return wrong;
    return replace_file(file(), state.dump() + '\n');
}

}  // namespace farlink::control
