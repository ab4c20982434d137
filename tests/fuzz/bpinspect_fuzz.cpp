// SPDX-License-Identifier: Apache-2.0
// Any octets as a bundle or record taken apart: ranges nest and lie in the input, and what the data
// path accepts has the same identity. The first octet chooses the kind, or a capture.
#include "apps/bpinspect/core/inspect.hpp"
#include "apps/bpinspect/input/capture.hpp"
#include "apps/bpinspect/input/text_octets.hpp"
#include "apps/bpinspect/report.hpp"
#include "common/base/invariant.hpp"
#include "common/bp/parse.hpp"

namespace {

using namespace farlink;

void check_nested(const inspect::Field &field) {
    std::uint64_t at = field.octets.at;
    for (const inspect::Field &each : field.fields) {
        FARLINK_INVARIANT(each.octets.at >= at && each.octets.end() <= field.octets.end());
        at = each.octets.end();
        check_nested(each);
    }
}

void check(ByteView octets, inspect::Kind kind) {
    const inspect::Inspection inspection = inspect::inspect(octets, kind);
    FARLINK_INVARIANT(inspection.root.octets.end() <= octets.size());
    check_nested(inspection.root);
    for (const inspect::Deviation &each : inspection.deviations)
        FARLINK_INVARIANT(each.octets.end() <= octets.size());
    FARLINK_INVARIANT(!inspect::report_text(inspection, octets, {}, {}).empty());
    FARLINK_INVARIANT(!inspect::report_json(inspection, octets, {}, {}).empty());
    const auto parsed = bp::parse({&octets, 1});
    if (!parsed || inspection.is_record || parsed->version != inspection.version) return;
    FARLINK_INVARIANT(inspection.id && *inspection.id == bp::id_of(*parsed));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0) return 0;
    const ByteView octets(data + 1, size - 1);
    if (data[0] < 4) {
        check(octets, static_cast<inspect::Kind>(data[0]));
        return 0;
    }
    inspect::Notes notes;
    const auto on_found = [](const inspect::Found &found) {
        check(found.octets, inspect::guess_kind(found.octets));
    };
    (void)inspect::read_capture(octets, {inspect::kBundlePort}, on_found, notes);
    (void)inspect::octets_of_hex(as_text(octets));
    (void)inspect::octets_of_base64(as_text(octets));
    return 0;
}
