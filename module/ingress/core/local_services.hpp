// SPDX-License-Identifier: Apache-2.0
// The services of the node itself: the administrative endpoint and the echo service.
// Owned by IngressCore; one thread. What they answer with is originated by ingress.
// A bundle is delivered once: repeats are recognised by identity among the last ones delivered.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "common/base/time.hpp"
#include "common/bp/admin.hpp"
#include "common/bp/bundle_view.hpp"
#include "common/buffer/ring.hpp"
#include "common/bus/messages.hpp"

namespace farlink::ingress {

enum class Delivery : std::uint8_t {
    kDelivered,
    kDuplicate,
    kAdminUnknown,  ///< an administrative record of a kind that is not understood
    kNoService,     ///< nothing is registered at that service number
};

class LocalServices {
public:
    LocalServices(NodeNumber node, std::uint64_t echo_service)
        : node_(node), echo_service_(echo_service) {}

    /// `bundle` is contiguous. `now_ms` is DTN time.
    [[nodiscard]] Delivery deliver(const bp::BundleView &view, ByteView bundle, DtnTime now_ms);
    /// A bundle that a service has made, to be sent.
    [[nodiscard]] std::optional<Bytes> poll_originated();
    /// Makes a status report for the bundle with this head, when it may be reported at all
    /// (RFC 9171 section 5.1); the caller has looked at its report request flags.
    void report(bus::ReportEvent event, bp::ReportReason reason, ByteView head,
                std::uint64_t payload_length, DtnTime now_ms);

private:
    /// Identities remembered; 16 bytes and a table entry each.
    static constexpr std::size_t kRemembered = 65536;

    [[nodiscard]] bool delivered_before(std::uint64_t identity);

    NodeNumber node_;
    std::uint64_t echo_service_;
    std::uint64_t next_sequence_ = 0;
    std::unordered_set<std::uint64_t> remembered_;
    Ring<std::uint64_t> order_;
    Ring<Bytes> originated_;
};

}  // namespace farlink::ingress
