// SPDX-License-Identifier: Apache-2.0
// The conformance vectors of tests/vectors as JSON.
// Plain functions for tests; a file that is missing or broken throws, which fails the test.
// Any thread.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/build_folders.hpp"
#include "tests/support/hex.hpp"

namespace farlink::test {

using Json = nlohmann::json;

inline Json load_vectors(const std::string &name) {
    std::ifstream file(std::string(FARLINK_SOURCE_DIR) + "/tests/vectors/" + name);
    if (!file) throw std::runtime_error("missing test vectors: " + name);
    return Json::parse(file);
}

inline Bytes hex_of(const Json &value) {
    return from_hex(value.get<std::string>());
}

/// Octets by the recipe "byte j = (factor * j + offset) mod 256".
inline Bytes recipe(std::size_t size, unsigned factor, unsigned offset) {
    Bytes octets(size);
    for (std::size_t j = 0; j < size; ++j)
        octets[j] = static_cast<std::uint8_t>(factor * j + offset);
    return octets;
}

}  // namespace farlink::test
