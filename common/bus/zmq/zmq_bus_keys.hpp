// SPDX-License-Identifier: Apache-2.0
// CURVE keys of the bus between processes (ZeroMQ RFC 26), as Z85 text.
// Plain functions for the start-up and for `farlinkctl keys make`.
// Any thread.
#pragma once

#include <optional>
#include <string>

#include "common/bus/zmq/bus_topology.hpp"

namespace farlink::bus {

/// A new pair; empty if this system's ZeroMQ does not support CURVE.
[[nodiscard]] std::optional<CurveKeys> make_curve_keys();

/// The pair with the secret key `secret`; empty if it is not a key.
[[nodiscard]] std::optional<CurveKeys> curve_keys_of(const std::string &secret);

}  // namespace farlink::bus
