// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/core/names.hpp"
#include "apps/bpinspect/core/v6/sdnv_walk.hpp"
#include "apps/bpinspect/core/walkers.hpp"
#include "common/bp/v6/admin_record_codec.hpp"

namespace farlink::inspect {
namespace {

constexpr std::string_view kRecord6 = "RFC 5050 section 6.1";
constexpr std::string_view kReport6 = "RFC 5050 section 6.1.1";
constexpr std::string_view kSignal = "RFC 5050 section 6.1.2";
constexpr std::string_view kAggregate = "CCSDS 734.2-B-1, aggregate custody signal";
constexpr std::uint8_t kEncapsulatedBundle = 7;
constexpr std::uint8_t kForFragment = 0x01;
constexpr std::uint8_t kSucceeded = 0x80;
constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr BitName kStatuses6[] = {{0x01, "received"},
                                  {0x02, "custody accepted"},
                                  {0x04, "forwarded"},
                                  {0x08, "delivered"},
                                  {0x10, "deleted"}};

void add_time(SdnvWalk &sdnvs, const char *name, Field &to, std::string_view section,
              Deviations &deviations) {
    Field field{name, {sdnvs.at(), 0}, {}, {}, {}};
    const auto seconds = sdnvs.sdnv("seconds", field);
    const auto nanoseconds = sdnvs.sdnv("nanoseconds", field);
    field.octets = range_between(field.octets.at, sdnvs.at());
    if (seconds) field.meaning = utc_of_s(*seconds);
    if (nanoseconds && *nanoseconds >= kNanosecondsPerSecond)
        deviations.add(field.octets, section, "the number of nanoseconds is 10^9 or more");
    to.fields.push_back(std::move(field));
}

/// The bundle that a status report or a custody signal is about; ends the record.
void add_subject(SdnvWalk &sdnvs, std::optional<bp::FragmentExtent> fragment,
                 std::string_view section, Field &to, Walk &walk) {
    const auto time = sdnvs.sdnv("subject's creation time", to);
    if (time) to.fields.back().meaning = utc_of_s(*time);
    const auto sequence = sdnvs.sdnv("subject's sequence number", to);
    const auto length = sdnvs.sdnv("length of the subject's source", to);
    if (!length) return;
    const Window text = sdnvs.octets(*length, "subject's source");
    if (sdnvs.failed()) return;
    const OctetRange at{text.base, text.octets.size()};
    to.fields.push_back({"subject's source", at, printable(as_text(text.octets), 1000), {}, {}});
    sdnvs.finish("octets follow the record");
    const auto source = bp::Eid::parse(as_text(text.octets));
    if (!source && as_text(text.octets).find(':') == std::string_view::npos)
        walk.deviations.add(at, section, "not an endpoint id");
    if (source && time && sequence && walk.depth == 0)
        walk.summary.subject_id = bp::BundleId{*source, *time, *sequence, fragment};
}

std::optional<bp::FragmentExtent> add_fragment(SdnvWalk &sdnvs, std::uint8_t first, Field &to) {
    if ((first & kForFragment) == 0) return std::nullopt;
    const auto offset = sdnvs.sdnv("subject's fragment offset", to);
    const auto length = sdnvs.sdnv("subject's fragment length", to);
    if (!offset || !length) return std::nullopt;
    return bp::FragmentExtent{*offset, *length};
}

void add_report6(SdnvWalk &sdnvs, std::uint8_t first, Field &to, Walk &walk) {
    const auto statuses = sdnvs.octet("status flags", to);
    if (!statuses) return;
    to.fields.back().meaning = names_of_bits(*statuses, kStatuses6);
    if (unnamed_bits(*statuses, kStatuses6) != 0)
        walk.deviations.advise(to.fields.back().octets, kReport6, "unused status flags are set");
    const auto reason = sdnvs.octet("reason", to);
    if (reason) {
        to.fields.back().meaning = report_reason6(*reason);
        if (to.fields.back().meaning.starts_with("reason "))
            walk.deviations.advise(to.fields.back().octets, kReport6, "the reason is reserved");
    }
    const auto fragment = add_fragment(sdnvs, first, to);
    for (const BitName &status : kStatuses6)
        if ((*statuses & status.bit) != 0)
            add_time(sdnvs, status.name, to, kReport6, walk.deviations);
    add_subject(sdnvs, fragment, kReport6, to, walk);
}

void add_status(SdnvWalk &sdnvs, Field &to, std::string_view section, Deviations &deviations) {
    const auto status = sdnvs.octet("status", to);
    if (!status) return;
    const std::string reason = custody_reason(*status & 0x7fU);
    to.fields.back().meaning =
        ((*status & kSucceeded) != 0 ? "custody accepted, " : "custody refused, ") + reason;
    if (reason.starts_with("reason "))
        deviations.advise(to.fields.back().octets, section, "the reason is reserved");
}

void add_signal(SdnvWalk &sdnvs, std::uint8_t first, Field &to, Walk &walk) {
    add_status(sdnvs, to, kSignal, walk.deviations);
    const auto fragment = add_fragment(sdnvs, first, to);
    add_time(sdnvs, "time of signal", to, kSignal, walk.deviations);
    add_subject(sdnvs, fragment, kSignal, to, walk);
}

/// The first fill begins at a custody id, a later one at a distance from the last id before.
void add_fills(SdnvWalk &sdnvs, Field &to, Deviations &deviations) {
    constexpr std::uint64_t kMostIds = ~std::uint64_t{0};
    std::uint64_t last = 0;
    bool first = true;
    do {
        Field fill{"fill", {sdnvs.at(), 0}, {}, {}, {}};
        const auto start = sdnvs.sdnv("start", fill);
        const auto length = sdnvs.sdnv("length", fill);
        if (!start || !length) return;
        fill.octets = range_between(fill.octets.at, sdnvs.at());
        const bool fits =
            *length != 0 && *start <= kMostIds - last && *length - 1 <= kMostIds - last - *start;
        if (!fits || (!first && *start == 0)) {
            deviations.add(fill.octets, kAggregate,
                           "a fill is empty, overlaps the previous fill, or exceeds 64 bits");
        } else {
            const std::uint64_t from = last + *start;
            last = from + *length - 1;
            fill.meaning = "custody ids " + std::to_string(from) + " to " + std::to_string(last);
        }
        to.fields.push_back(std::move(fill));
        first = false;
    } while (sdnvs.left() != 0);
}

}  // namespace

void add_record6(const Window &window, Field &to, Walk &walk) {
    SdnvWalk sdnvs(window, kRecord6, walk.deviations);
    const auto first = sdnvs.octet("record type and flags", to);
    if (!first) return;
    const std::uint8_t type = *first >> 4;
    Field &head = to.fields.back();
    head.meaning = record_name6(type);
    if ((*first & kForFragment) != 0) head.meaning += ", of a fragment";
    if ((*first & 0x0eU) != 0)
        walk.deviations.advise(head.octets, kRecord6, "reserved flags of a record are set");
    switch (type) {
        case bp::v6::kStatusReportRecord:
            return add_report6(sdnvs, *first, to, walk);
        case bp::v6::kCustodySignalRecord:
            return add_signal(sdnvs, *first, to, walk);
        case bp::v6::kAggregateCustodySignalRecord:
            add_status(sdnvs, to, kAggregate, walk.deviations);
            return add_fills(sdnvs, to, walk.deviations);
        case kEncapsulatedBundle:
            to.fields.push_back(
                encapsulated_field(sdnvs.octets(sdnvs.left(), "encapsulated bundle"), walk));
            return;
        default:
            walk.deviations.advise(head.octets, kRecord6,
                                   "the record type is not supported by bpinspect");
    }
}

}  // namespace farlink::inspect
