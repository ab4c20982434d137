// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/text/merge_patch.hpp"

#include <utility>

namespace farlink::telemetry {
namespace {

// Both are sorted by key: one pass finds added, removed and changed members.
Json object_patch(const Json &from, const Json &to) {
    Json patch = Json::object();
    auto old = from.begin();
    auto now = to.begin();
    while (old != from.end() || now != to.end()) {
        const bool gone = now == to.end() || (old != from.end() && old.key() < now.key());
        const bool come = old == from.end() || (now != to.end() && now.key() < old.key());
        if (gone) {
            patch[old.key()] = nullptr;
            ++old;
        } else if (come) {
            patch[now.key()] = *now;
            ++now;
        } else {
            if (auto inner = merge_patch(*old, *now)) patch[now.key()] = std::move(*inner);
            ++old;
            ++now;
        }
    }
    return patch;
}

}  // namespace

std::optional<Json> merge_patch(const Json &from, const Json &to) {
    if (!from.is_object() || !to.is_object()) {
        if (from == to) return std::nullopt;
        return to;
    }
    Json patch = object_patch(from, to);
    if (patch.empty()) return std::nullopt;
    return patch;
}

}  // namespace farlink::telemetry
