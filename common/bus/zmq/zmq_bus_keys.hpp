// SPDX-License-Identifier: Apache-2.0
// CURVE keys of the bus between processes (ZeroMQ RFC 26), as Z85 text.
// Plain functions at start-up and for the program that makes keys.
// Any thread.
#pragma once

#include <optional>
#include <string>

#include "common/bus/zmq/bus_topology.hpp"

namespace farlink::bus {

/// A fresh pair; empty when this system's ZeroMQ cannot make any.
[[nodiscard]] std::optional<CurveKeys> make_curve_keys();

/// The pair of which `secret` is one half; empty when it is no key.
[[nodiscard]] std::optional<CurveKeys> curve_keys_of(const std::string &secret);

}  // namespace farlink::bus
