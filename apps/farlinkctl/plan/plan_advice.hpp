// SPDX-License-Identifier: Apache-2.0
// Warnings about a valid contact plan, by itself and for a node that uses it.
// Plain functions on values; the command's thread.
// A warning is no reason to refuse a plan: it may be intended.
#pragma once

#include "common/config/fields/config_error.hpp"
#include "common/config/node/node_config.hpp"
#include "common/plan/contact_plan.hpp"

namespace farlink::ctl {

/// Warns of an empty plan, of directions without contacts back, and of a plan that has ended.
void warn_of_plan(const config::ContactPlan &plan, DtnTime now, config::ConfigErrors &warnings);

/// Warns of links without contacts and contacts without links, of rates and one-way light times
/// that differ, and of contacts of nodes that no bundle of this node reaches in time.
void warn_of_node(const config::ContactPlan &plan, const config::NodeConfig &node,
                  config::ConfigErrors &warnings);

}  // namespace farlink::ctl
