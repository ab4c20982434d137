// SPDX-License-Identifier: Apache-2.0
#include "common/bus/zmq/zmq_bus_keys.hpp"

#include <zmq.h>

#include <array>

namespace farlink::bus {
namespace {

/// 40 characters and a terminating zero.
using KeyText = std::array<char, 41>;

}  // namespace

std::optional<CurveKeys> make_curve_keys() {
    KeyText public_key{};
    KeyText secret_key{};
    if (::zmq_curve_keypair(public_key.data(), secret_key.data()) != 0) return std::nullopt;
    return CurveKeys{public_key.data(), secret_key.data()};
}

std::optional<CurveKeys> curve_keys_of(const std::string &secret) {
    KeyText public_key{};
    if (secret.size() != public_key.size() - 1 ||
        ::zmq_curve_public(public_key.data(), secret.c_str()) != 0)
        return std::nullopt;
    return CurveKeys{public_key.data(), secret};
}

}  // namespace farlink::bus
