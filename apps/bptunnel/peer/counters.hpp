// SPDX-License-Identifier: Apache-2.0
// What a tunnel counts.
// Shared by all parts of it.
// One thread.
#pragma once

#include <cstdint>

namespace farlink::bptunnel {

struct Counters {
    std::uint64_t sent_adus = 0;
    std::uint64_t sent_bytes = 0;
    std::uint64_t refused_adus = 0;  ///< by the node; those of streams are sent again
    std::uint64_t received_adus = 0;
    std::uint64_t received_bytes = 0;
    std::uint64_t unknown_adus = 0;  ///< not of this tunnel
    std::uint64_t repeated_adus = 0;
    std::uint64_t stale_adus = 0;      ///< of, or for, a run that has ended
    std::uint64_t late_adus = 0;       ///< behind others that should follow them
    std::uint64_t missing_adus = 0;    ///< that were waited for in vain
    std::uint64_t faults = 0;          ///< malformed contents, and what is not allowed
    std::uint64_t datagrams_in = 0;    ///< from applications
    std::uint64_t datagrams_out = 0;   ///< to applications
    std::uint64_t dropped = 0;         ///< datagrams: the node takes no more
    std::uint64_t unsent = 0;          ///< datagrams that the kernel did not take
    std::uint64_t lost_by_socket = 0;  ///< datagrams that the kernel had no room for
    std::uint64_t no_flow = 0;         ///< datagrams for a peer that is forgotten
    std::uint64_t flows = 0;           ///< that have begun
    std::uint64_t streams = 0;         ///< that have begun
    std::uint64_t open_streams = 0;
    std::uint64_t reset_streams = 0;  ///< by either side
    std::uint64_t refused_streams = 0;
    std::uint64_t late_messages = 0;  ///< for streams that are closed
    std::uint64_t stream_bytes_in = 0;
    std::uint64_t stream_bytes_out = 0;
};

}  // namespace farlink::bptunnel
