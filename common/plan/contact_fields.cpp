// SPDX-License-Identifier: Apache-2.0
#include "common/plan/contact_fields.hpp"

#include <algorithm>
#include <iterator>

#include "common/config/fields/section_checker.hpp"

namespace farlink::config {
namespace {

/// A node number, or a name in place of it.
void set_node(NodeNumber &number, std::string &name, const Value &value) {
    if (const auto *text = std::get_if<std::string>(&value.data))
        name = *text;
    else
        number = NodeNumber{value.number<std::uint64_t>()};
}

std::vector<Field<ContactRow>> repeat_fields() {
    return {
        {{.key = "repeatSeconds",
          .kind = FieldKind::kSeconds,
          .unit = "seconds",
          .maximum = kLongestRepeatSeconds,
          .fallback = std::uint64_t{0},
          .help = "The contact begins again each time after this number of seconds, at least 1 and "
                  "at least its own length. 0: it does not repeat. The number of repeat n is that "
                  "of the contact plus n times 16,777,216."},
         &ContactRow::repeat},
        {{.key = "until",
          .kind = FieldKind::kInstant,
          .unit = "seconds",
          .maximum = kLatestSecond,
          .computed_default = "no end",
          .help = "For a contact that repeats, in the form of `startTime`: repeats that would end "
                  "later are omitted."},
         &ContactRow::until},
    };
}

std::vector<Field<ContactRow>> contact_fields() {
    return {
        {{.key = "contact",
          .kind = FieldKind::kInteger,
          .required = true,
          .help =
              "Number of the contact, unique in the plan, and below 16,777,216 if a contact of the "
              "plan repeats. Messages and commands name the contact by it."},
         [](ContactRow &to, const Value &value) {
             to.contact.id = value.number<std::uint64_t>();
             to.has_id = true;
         }},
        {{.key = "source",
          .kind = FieldKind::kInteger,
          .required = true,
          .unit = kNodeUnit,
          .minimum = 1,
          .help = "Sending node: its number, or `\"ipn:5.*\"`, or a pattern that the "
                  "configuration's `nodeEndpoints` or a link's `peerNodeId` assigns to a node, "
                  "such as `\"dtn://mars/**\"`."},
         [](ContactRow &to, const Value &value) {
             set_node(to.contact.source, to.source_name, value);
         }},
        {{.key = "dest",
          .kind = FieldKind::kInteger,
          .required = true,
          .unit = kNodeUnit,
          .minimum = 1,
          .help = "Receiving node, in the forms of `source`. The return direction is a separate "
                  "contact."},
         [](ContactRow &to, const Value &value) {
             set_node(to.contact.destination, to.destination_name, value);
         }},
        {{.key = "startTime",
          .kind = FieldKind::kInstant,
          .required = true,
          .unit = "seconds",
          .maximum = kLatestSecond,
          .help = "Start of the contact: seconds from the start of the node (fractions are "
                  "allowed, down to milliseconds), or a time in UTC, "
                  "`\"2026-01-02T03:04:05.250Z\"`. A plan uses one of the two forms throughout."},
         &ContactRow::start},
        {{.key = "endTime",
          .kind = FieldKind::kInstant,
          .required = true,
          .unit = "seconds",
          .maximum = kLatestSecond,
          .help = "End of the contact, in the form of `startTime`; later than `startTime`. The "
                  "contact is closed at this moment, so a contact that starts at the same time "
                  "follows without a gap."},
         &ContactRow::end},
        {{.key = "rateBitsPerSec",
          .kind = FieldKind::kInteger,
          .unit = "bits per second",
          .maximum = kHighestRateBitsPerSecond,
          .fallback = std::uint64_t{0},
          .help = "Rate of the link; 0: unlimited."},
         &ContactRow::contact,
         &PlanContact::rate},
        {{.key = "owlt",
          .kind = FieldKind::kSeconds,
          .unit = "seconds",
          .maximum = kMaxOwltSeconds,
          .fallback = std::uint64_t{0},
          .help = "One-way light time; fractions are allowed. 0: that of the link's "
                  "configuration."},
         &ContactRow::contact,
         &PlanContact::owlt},
    };
}

std::vector<Field<ContactRow>> both(std::vector<Field<ContactRow>> one,
                                    std::vector<Field<ContactRow>> other) {
    std::ranges::move(other, std::back_inserter(one));
    return one;
}

}  // namespace

const Table<ContactRow> &contact_table() {
    static const Table<ContactRow> table{
        "contacts[]",
        "One contact. Contacts from one node to another must not overlap; a plan in which "
        "two of them overlap is an error.",
        both(contact_fields(), repeat_fields())};
    return table;
}

const Table<PlanFrame> &contact_plan_table() {
    static const Table<PlanFrame> table{
        "contact plan",
        "The contacts of a network: which node can send to which, and when.",
        {
            {{.key = "$schema",
              .kind = FieldKind::kText,
              .help = "For editors: path of the JSON Schema of this file. Ignored by farlink."},
             [](PlanFrame &, const Value &) {}},
            {{.key = "contacts",
              .kind = FieldKind::kList,
              .required = true,
              .section = &contact_table().info(),
              .help = "The contacts, in any order. With an empty list no link is ever up."},
             [](PlanFrame &, const Value &) {}},
        }};
    return table;
}

}  // namespace farlink::config
