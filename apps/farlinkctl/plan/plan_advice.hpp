// SPDX-License-Identifier: Apache-2.0
// What looks odd about a valid contact plan, by itself and for a node that uses it.
// Plain functions on values; the command's thread.
// A warning is never a reason to refuse a plan: each one may be meant.
#pragma once

#include "common/config/fields/config_error.hpp"
#include "common/config/node/node_config.hpp"
#include "common/plan/contact_plan.hpp"

namespace farlink::ctl {

/// Nothing at all, directions without a way back, contacts that are all over; `now` in DTN time.
void warn_of_plan(const config::ContactPlan &plan, DtnTime now, config::ConfigErrors &warnings);

/// Links without contacts and contacts without links, light times and rates that differ, contacts
/// of nodes that nothing from this node can reach in time.
void warn_of_node(const config::ContactPlan &plan, const config::NodeConfig &node,
                  config::ConfigErrors &warnings);

}  // namespace farlink::ctl
