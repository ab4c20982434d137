// SPDX-License-Identifier: Apache-2.0
// One induct that ingress hosts, with its configuration and what is reported of it.
// Owned by HostedInducts.
// The ingress agent's thread only.
#pragma once

#include <memory>

#include "cla/api/link.hpp"
#include "common/config/node/node_config.hpp"
#include "common/telemetry/link_tallies.hpp"
#include "module/ingress/induct_trouble.hpp"

namespace farlink::ingress {

struct HostedInduct {
    config::InductConfig config;
    std::unique_ptr<cla::Induct> induct;
    telemetry::LinkTallies::Entry *tally = nullptr;  ///< null once its link was removed
    InductTrouble trouble{};
};
using HostedInductPtr = std::unique_ptr<HostedInduct>;

}  // namespace farlink::ingress
