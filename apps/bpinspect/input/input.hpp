// SPDX-License-Identifier: Apache-2.0
// Reads an input of any supported form and hands out the bundles or records in it.
// A plain function; the program's thread.
// The form of a file is found by its octets unless it is given.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "apps/bpinspect/input/found.hpp"
#include "common/base/result.hpp"

namespace farlink::inspect {

enum class Form : std::uint8_t {
    kAuto,
    kBinary,
    kHex,
    kBase64,
    kCapture,
    kStore,
};

struct InputOptions {
    Form form = Form::kAuto;
    std::set<std::uint16_t> ports;  ///< of UDP: every datagram is taken as a bundle
};

/// `name`: a file, a folder of a store, or "-" for standard input. An error names what is wrong.
[[nodiscard]] Result<void, std::string> read_input(const std::string &name,
                                                   const InputOptions &options,
                                                   const OnFound &on_found, Notes &notes);

}  // namespace farlink::inspect
