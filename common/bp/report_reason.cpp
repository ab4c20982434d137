// SPDX-License-Identifier: Apache-2.0
#include "common/bp/report_reason.hpp"

#include <array>

namespace farlink::bp {
namespace {

/// By code.
constexpr std::array<const char *, 17> kTexts{"no additional information",
                                              "lifetime expired",
                                              "forwarded over a unidirectional link",
                                              "transmission canceled",
                                              "depleted storage",
                                              "destination endpoint id unavailable",
                                              "no known route to the destination",
                                              "no timely contact with the next node",
                                              "block unintelligible",
                                              "hop limit exceeded",
                                              "traffic pared",
                                              "block unsupported",
                                              "missing security operation",
                                              "unknown security operation",
                                              "unexpected security operation",
                                              "failed security operation",
                                              "conflicting security operation"};

}  // namespace

std::string report_reason_text(std::uint64_t code) {
    return code < kTexts.size() ? kTexts[code] : "reason " + std::to_string(code);
}

}  // namespace farlink::bp
