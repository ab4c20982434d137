// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/core/inspect.hpp"

#include <algorithm>
#include <tuple>

#include "apps/bpinspect/core/walkers.hpp"
#include "common/bp/v6/primary.hpp"

namespace farlink::inspect {
namespace {

bool is_version6(ByteView octets) {
    return !octets.empty() && octets[0] == bp::v6::kVersion;
}

Field record_field(const Window &window, Kind kind, Walk &walk) {
    Field field{"administrative record", {window.base, window.octets.size()}, {}, {}, {}};
    if (kind == Kind::kRecord6)
        add_record6(window, field, walk);
    else
        add_record7(window, field, walk);
    return field;
}

}  // namespace

Field encapsulated_field(const Window &window, Walk &walk) {
    Field field{"bundle", {window.base, window.octets.size()}, {}, {}, {}};
    if (walk.depth + 1 == kMostNested) {
        field.meaning = "items nested more deeply than bpinspect reads";
        return field;
    }
    Walk inner{walk.deviations, walk.summary, walk.depth + 1};
    return is_version6(window.octets) ? bundle_field6(window, inner) : bundle_field7(window, inner);
}

Kind guess_kind(ByteView octets) {
    if (is_version6(octets)) return Kind::kBundle6;
    if (octets.empty()) return Kind::kBundle7;
    // A BPv7 bundle is an array whose first item is one; a record's first item is its type.
    const std::uint8_t second = octets.size() > 1 ? octets[1] : 0xff;
    if (octets[0] >> 5 == 4) return second >> 5 == 0 ? Kind::kRecord7 : Kind::kBundle7;
    const std::uint8_t type = octets[0] >> 4;
    const bool record6 = (type == 1 || type == 2 || type == 4 || type == 7) && octets[0] % 16 < 2;
    return record6 ? Kind::kRecord6 : Kind::kBundle7;
}

Inspection inspect(ByteView octets, Kind kind) {
    Inspection inspection;
    Deviations deviations;
    Walk walk{deviations, inspection};
    const Window window{octets, 0};
    inspection.is_record = kind == Kind::kRecord6 || kind == Kind::kRecord7;
    inspection.version = kind == Kind::kBundle6 || kind == Kind::kRecord6 ? 6 : 7;
    if (octets.empty())
        deviations.add({0, 0},
                       inspection.version == 6 ? "RFC 5050 section 4" : "RFC 9171 section 4.1",
                       "the input has no octets");
    else if (kind == Kind::kBundle6)
        inspection.root = bundle_field6(window, walk);
    else if (kind == Kind::kBundle7)
        inspection.root = bundle_field7(window, walk);
    else
        inspection.root = record_field(window, kind, walk);
    inspection.counts = deviations.counts();
    inspection.deviations = deviations.take();
    std::ranges::stable_sort(inspection.deviations, {}, [](const Deviation &each) {
        return std::tuple(each.octets.at, each.octets.size);
    });
    return inspection;
}

}  // namespace farlink::inspect
