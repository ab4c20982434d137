// SPDX-License-Identifier: Apache-2.0
// Writes a contact plan as JSON or as ION's commands.
// Plain functions on values; any thread.
// JSON keeps everything but the notes; ION's form is coarser, and the losses are listed.
#pragma once

#include <string>

#include "common/plan/contact_plan.hpp"

namespace farlink::config {

/// One contact per line; parse_contact_plan() reads the same plan from it.
[[nodiscard]] std::string write_json_plan(const ContactPlan &plan);
/// The list of contacts alone, in one line without spaces.
[[nodiscard]] std::string write_json_contacts(const ContactPlan &plan);

inline constexpr std::uint64_t kMostIonRepeats = 1000;

struct IonText {
    std::string text;
    ConfigErrors losses;  ///< what ION's form cannot express; empty: it reads back as the same plan
};

/// `a contact` for each contact, `a range` for their light times. ION counts whole seconds and
/// bytes: starts and light times are rounded up, ends and rates down, so that no contact carries
/// more than before. Ids of contacts follow from their order. A periodic contact is written repeat
/// by repeat, the first kMostIonRepeats of them.
[[nodiscard]] IonText write_ion_plan(const ContactPlan &plan);

}  // namespace farlink::config
