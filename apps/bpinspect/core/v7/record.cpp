// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/core/names.hpp"
#include "apps/bpinspect/core/walkers.hpp"

namespace farlink::inspect {
namespace {

using codec::CborMajor;

constexpr std::string_view kRecord7 = "RFC 9171 section 6.1";
constexpr std::string_view kReport7 = "RFC 9171 section 6.1.1";
constexpr std::string_view kEncapsulation = "draft-ietf-dtn-bibect";
constexpr std::uint64_t kLastReason = 16;
constexpr std::size_t kStatusCount = 4;

/// A status item: whether it is asserted, and when it was.
Field status_field(std::string name, const CborItem &item, Deviations &deviations) {
    Field field{std::move(name), item.octets, {}, {}, {}};
    if (!expect_array(item, "status item", kReport7, deviations)) return field;
    ItemList list(item, kReport7, deviations);
    const CborItem *const asserted = list.require("status indicator");
    if (asserted == nullptr) return field;
    const Field flag = item_field("asserted", *asserted);
    field.value = flag.value;
    if (!std::holds_alternative<bool>(flag.value)) {
        if (asserted->whole)
            deviations.add(asserted->octets, kReport7, "the status indicator is not a boolean");
        return field;
    }
    if (item.items.size() > 1) {
        const auto time = list.uint("time", field);
        if (time) field.fields.back().meaning = utc_of_ms(*time);
        if (time) field.meaning = "at " + utc_of_ms(*time);
        if (!std::get<bool>(flag.value))
            deviations.add(item.octets, kReport7, "a status that is not asserted has a time");
    }
    list.finish();
    return field;
}

Field statuses_field(const CborItem &item, Deviations &deviations) {
    static constexpr const char *kNames[kStatusCount] = {"received", "forwarded", "delivered",
                                                         "deleted"};
    Field field{"status information", item.octets, {}, {}, {}};
    if (!expect_array(item, "status information", kReport7, deviations)) return field;
    if (item.whole && item.items.size() < kStatusCount)
        deviations.add(item.octets, kReport7,
                       std::to_string(item.items.size()) + " status items instead of 4");
    for (std::size_t i = 0; i < item.items.size(); ++i)
        field.fields.push_back(status_field(i < kStatusCount ? kNames[i] : "further status",
                                            item.items[i], deviations));
    return field;
}

void add_reason(ItemList &list, Field &to, Deviations &deviations) {
    const auto reason = list.uint("reason", to);
    if (!reason) return;
    Field &field = to.fields.back();
    field.meaning = report_reason7(*reason);
    if (*reason > kLastReason)
        deviations.advise(field.octets, kReport7, "the reason is not registered");
}

/// RFC 9171 section 6.1.1.
void add_report7(const CborItem &content, Field &to, Walk &walk) {
    Field field{"status report", content.octets, {}, {}, {}};
    bp::BundleId subject;
    std::optional<bp::Eid> source;
    std::optional<Timestamp> timestamp;
    const auto read = [&] {
        if (!expect_array(content, "status report", kReport7, walk.deviations)) return;
        ItemList list(content, kReport7, walk.deviations);
        const CborItem *const statuses = list.require("status information");
        if (statuses == nullptr) return;
        field.fields.push_back(statuses_field(*statuses, walk.deviations));
        add_reason(list, field, walk.deviations);
        const CborItem *const node = list.require("subject's source");
        if (node == nullptr) return;
        field.fields.push_back(endpoint_field("subject's source", *node, walk.deviations, &source));
        const CborItem *const time = list.require("subject's creation timestamp");
        if (time == nullptr) return;
        field.fields.push_back(
            timestamp_field("subject's creation timestamp", *time, walk.deviations, timestamp));
        if (content.items.size() > kStatusCount) {
            const auto offset = list.uint("subject's fragment offset", field);
            const auto length = list.uint("subject's payload length", field);
            if (offset && length) subject.fragment = bp::FragmentExtent{*offset, *length};
        }
        list.finish();
    };
    read();
    to.fields.push_back(std::move(field));
    if (!source || !timestamp || walk.depth != 0) return;
    subject.source = *source;
    subject.creation_time = timestamp->time_ms;
    subject.sequence = timestamp->sequence;
    walk.summary.subject_id = std::move(subject);
}

/// Bundle-in-bundle encapsulation: transmission id, retransmission time, the bundle.
void add_encapsulated(const CborItem &content, const Window &window, Field &to, Walk &walk) {
    Field field{"encapsulated bundle", content.octets, {}, {}, {}};
    if (expect_array(content, "encapsulated bundle", kEncapsulation, walk.deviations)) {
        ItemList list(content, kEncapsulation, walk.deviations);
        list.uint("transmission id", field);
        const auto time = list.uint("retransmission time", field);
        if (time && *time != 0) field.fields.back().meaning = utc_of_ms(*time);
        const CborItem *const bundle = list.require("bundle");
        if (bundle != nullptr && bundle->is_string(CborMajor::kBytes)) {
            const OctetRange range = bundle->content_range();
            field.fields.push_back(encapsulated_field({window.at(range), range.at}, walk));
        } else if (bundle != nullptr && bundle->whole) {
            walk.deviations.add(bundle->octets, kEncapsulation, "the bundle is not a byte string");
        }
        list.finish();
    }
    to.fields.push_back(std::move(field));
}

/// The custody signal of encapsulation: a disposition, and runs of transmission ids.
void add_encapsulation_signal(const CborItem &content, Field &to, Walk &walk) {
    Field field{"custody signal of encapsulation", content.octets, {}, {}, {}};
    if (expect_array(content, "custody signal", kEncapsulation, walk.deviations)) {
        ItemList list(content, kEncapsulation, walk.deviations);
        const auto disposition = list.uint("disposition", field);
        if (disposition)
            field.fields.back().meaning =
                *disposition == 0 ? "accepted" : custody_reason(*disposition);
        if (const CborItem *const runs = list.require("runs of transmission ids"))
            field.fields.push_back(item_field("runs of transmission ids", *runs));
        list.finish();
    }
    to.fields.push_back(std::move(field));
}

}  // namespace

void add_record7(const Window &window, Field &to, Walk &walk) {
    const CborItem record = read_cbor(window.octets, window.base, walk.deviations);
    if (!expect_array(record, "administrative record", kRecord7, walk.deviations)) return;
    note_trailing(record, {window.base, window.octets.size()}, kRecord7, walk.deviations);
    ItemList list(record, kRecord7, walk.deviations);
    const auto type = list.uint("record type", to);
    if (!type) return;
    to.fields.back().meaning = record_name7(*type);
    const CborItem *const content = list.require("content of the record");
    list.finish();
    if (content == nullptr) return;
    switch (*type) {
        case 1:
            return add_report7(*content, to, walk);
        case 3:
        case 7:
            return add_encapsulated(*content, window, to, walk);
        case 4:
        case 8:
            return add_encapsulation_signal(*content, to, walk);
        default:
            walk.deviations.advise(to.fields.back().octets, kRecord7,
                                   "the record type is not supported by bpinspect");
            to.fields.push_back(item_field("content", *content));
    }
}

}  // namespace farlink::inspect
