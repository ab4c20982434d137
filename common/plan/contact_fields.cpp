// SPDX-License-Identifier: Apache-2.0
#include "common/plan/contact_fields.hpp"

#include "common/config/fields/section_checker.hpp"

namespace farlink::config {
namespace {

/// A number, or the name that stands for it.
void set_node(NodeNumber &number, std::string &name, const Value &value) {
    if (const auto *text = std::get_if<std::string>(&value.data))
        name = *text;
    else
        number = NodeNumber{value.number<std::uint64_t>()};
}

std::vector<Field<ContactRow>> contact_fields() {
    return {
        {{.key = "contact",
          .kind = FieldKind::kInteger,
          .required = true,
          .help = "Number of the contact, once in a plan; reports refer to it."},
         [](ContactRow &to, const Value &value) {
             to.contact.id = value.number<std::uint64_t>();
             to.has_id = true;
         }},
        {{.key = "source",
          .kind = FieldKind::kInteger,
          .required = true,
          .unit = kNodeUnit,
          .minimum = 1,
          .help = "Node that sends: its number, or `\"ipn:5.*\"`, or a name that the "
                  "configuration's `nodeEndpoints` or a link's `peerNodeId` gives to a node, "
                  "`\"dtn://mars/**\"`."},
         [](ContactRow &to, const Value &value) {
             set_node(to.contact.source, to.source_name, value);
         }},
        {{.key = "dest",
          .kind = FieldKind::kInteger,
          .required = true,
          .unit = kNodeUnit,
          .minimum = 1,
          .help = "Node that receives, likewise. The way back is a contact of its own."},
         [](ContactRow &to, const Value &value) {
             set_node(to.contact.destination, to.destination_name, value);
         }},
        {{.key = "startTime",
          .kind = FieldKind::kInstant,
          .required = true,
          .unit = "seconds",
          .maximum = kLatestSecond,
          .help = "When the contact begins: seconds from the start of the node (fractions are "
                  "allowed, down to milliseconds), or a time in UTC, "
                  "`\"2026-01-02T03:04:05.250Z\"`. A plan uses one of the two forms throughout."},
         [](ContactRow &to, const Value &value) { to.start = value.as<Instant>(); }},
        {{.key = "endTime",
          .kind = FieldKind::kInstant,
          .required = true,
          .unit = "seconds",
          .maximum = kLatestSecond,
          .help = "When it ends, in the same form; later than `startTime`. At this moment the "
                  "contact is down already, so one that begins now follows without a gap."},
         [](ContactRow &to, const Value &value) { to.end = value.as<Instant>(); }},
        {{.key = "rateBitsPerSec",
          .kind = FieldKind::kInteger,
          .unit = "bits per second",
          .maximum = kHighestRateBitsPerSecond,
          .fallback = std::uint64_t{0},
          .help = "Rate of the link; 0: as fast as it goes."},
         [](ContactRow &to, const Value &value) {
             to.contact.rate = BitRate{value.number<std::uint64_t>()};
         }},
        {{.key = "owlt",
          .kind = FieldKind::kSeconds,
          .unit = "seconds",
          .maximum = kMaxOwltSeconds,
          .fallback = std::uint64_t{0},
          .help = "One-way light time; fractions are allowed."},
         [](ContactRow &to, const Value &value) { to.contact.owlt = value.as<Duration>(); }},
    };
}

}  // namespace

const Table<ContactRow> &contact_table() {
    static const Table<ContactRow> table{
        "contacts[]",
        "One contact. Two contacts from one node to another never overlap: where they differ "
        "nobody could say which holds, where they agree they are one.",
        contact_fields()};
    return table;
}

const Table<PlanFrame> &contact_plan_table() {
    static const Table<PlanFrame> table{
        "contact plan",
        "When which node can send to which.",
        {
            {{.key = "$schema",
              .kind = FieldKind::kText,
              .help = "For editors: where the JSON Schema of this file lies. Ignored."},
             [](PlanFrame &, const Value &) {}},
            {{.key = "contacts",
              .kind = FieldKind::kList,
              .required = true,
              .section = &contact_table().info(),
              .help = "The contacts, in any order. An empty list: no link is ever up."},
             [](PlanFrame &, const Value &) {}},
        }};
    return table;
}

}  // namespace farlink::config
