// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/pdu/types.hpp"

#include "cfdp/core/pdu/pdu.hpp"

namespace farlink::cfdp {

std::string_view name_of(ConditionCode code) {
    constexpr std::string_view kNames[kConditionCodes] = {"no error",
                                                          "positive acknowledgement limit",
                                                          "keep alive limit",
                                                          "invalid transmission mode",
                                                          "filestore rejection",
                                                          "checksum failure",
                                                          "size error",
                                                          "NAK limit",
                                                          "inactivity",
                                                          "invalid file structure",
                                                          "check limit",
                                                          "unsupported checksum type",
                                                          "unknown",
                                                          "unknown",
                                                          "suspend requested",
                                                          "cancel requested"};
    return kNames[static_cast<std::size_t>(code) % kConditionCodes];
}

std::string_view name_of(PduError error) {
    constexpr std::string_view kNames[kPduErrors] = {
        "truncated", "trailing octets", "version", "CRC", "directive", "direction", "field"};
    return kNames[static_cast<std::size_t>(error) % kPduErrors];
}

}  // namespace farlink::cfdp
