// SPDX-License-Identifier: Apache-2.0
// What is agreed with a remote entity: sizes, timers and limits of its transactions.
// Values, from the configuration.
// Any thread. CCSDS 727.0-B-5 chapter 8 (the management information base).
#pragma once

#include <array>
#include <cstdint>

#include "cfdp/core/checksum/file_checksum.hpp"
#include "cfdp/core/pdu/types.hpp"
#include "common/base/time.hpp"

namespace farlink::cfdp {

enum class NakMode : std::uint8_t { kImmediate, kDeferred };

/// What a remote entity may do here beside putting files; none by default.
enum class Permission : std::uint8_t {
    kCreate,
    kDelete,
    kRename,
    kAppend,
    kReplace,
    kCreateFolder,
    kRemoveFolder,
    kGet,    ///< files of its folder, for itself
    kProxy,  ///< the same for another entity
    kList,
    kReport,   ///< of its transactions
    kSuspend,  ///< its transactions, and resume them
};
inline constexpr std::size_t kPermissions = 12;

class Permissions {
public:
    constexpr void allow(Permission permission) { bits_ |= bit(permission); }
    [[nodiscard]] constexpr bool has(Permission permission) const {
        return (bits_ & bit(permission)) != 0;
    }

private:
    static constexpr std::uint32_t bit(Permission permission) {
        return std::uint32_t{1} << static_cast<unsigned>(permission);
    }
    std::uint32_t bits_ = 0;
};

struct RemoteSettings {
    EntityId entity = 0;
    bool acknowledged = true;  ///< default of put requests: class 2
    bool closure = false;      ///< the same: closure of class 1
    bool crc = false;
    Algorithm checksum = Algorithm::kCrc32c;
    std::size_t segment_bytes = 1024;  ///< file data of a PDU
    std::size_t pdu_bytes = 1400;      ///< largest NAK
    NakMode nak_mode = NakMode::kDeferred;
    std::size_t most_sending = 10'000;  ///< transactions at a time; further ones wait

    /// Repeats of EOF and Finished until they are acknowledged. All timers count from the moment
    /// that a PDU is handed to the lower layer.
    Duration ack_timeout = seconds(10);
    std::uint32_t ack_limit = 5;
    Duration nak_timeout = seconds(10);
    std::uint32_t nak_limit = 5;
    Duration inactivity_timeout = seconds(300);
    Duration check_timeout = seconds(10);  ///< class 1
    std::uint32_t check_limit = 5;
    Duration keep_alive_interval{};            ///< 0: none are sent unasked
    std::uint64_t keep_alive_discrepancy = 0;  ///< octets that the receiver may be behind; 0: any

    /// What may come from it.
    bool may_put = true;
    Permissions may{};
    std::uint64_t largest_file = std::uint64_t{1} << 60;

    std::array<FaultHandler, kConditionCodes> handlers = default_handlers();

    [[nodiscard]] static constexpr std::array<FaultHandler, kConditionCodes> default_handlers() {
        std::array<FaultHandler, kConditionCodes> handlers{};
        handlers.fill(FaultHandler::kCancel);
        return handlers;
    }
};

}  // namespace farlink::cfdp
