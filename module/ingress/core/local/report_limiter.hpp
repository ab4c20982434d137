// SPDX-License-Identifier: Apache-2.0
// Limits the status reports to the node of each report-to endpoint: small bundles that request all
// of them must not flood a node that did not, nor by naming many of its services.
// Owned by LocalServices; one thread.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "common/base/time.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::ingress {

class ReportLimiter {
public:
    /// `each_second`: reports for each node; 0: no limit.
    explicit ReportLimiter(std::uint32_t each_second) : each_second_(each_second) {}

    /// Whether one more report may be sent to it; it counts then.
    [[nodiscard]] bool admit(const bp::EidView &report_to, DtnTime now_ms) {
        if (each_second_ == 0) return true;
        if (now_ms - began_ >= kSecondMs) {  // or the clock was set back
            sent_.clear();
            began_ = now_ms;
        }
        const std::uint64_t key = hash(node_of(report_to));
        if (sent_.size() >= kMostNodes && !sent_.contains(key)) return withhold();
        std::uint32_t &sent = sent_[key];
        return sent < each_second_ ? (++sent, true) : withhold();
    }
    /// Reports that were not sent.
    [[nodiscard]] std::uint64_t withheld() const { return withheld_; }

private:
    static constexpr std::uint64_t kSecondMs = 1000;
    /// Further nodes in one second get no report.
    static constexpr std::size_t kMostNodes = 4096;

    [[nodiscard]] static bp::EidView node_of(bp::EidView endpoint) {
        endpoint.service = 0;
        if (endpoint.scheme == bp::EidScheme::kDtn)  // //node/demux
            endpoint.name = endpoint.name.substr(0, endpoint.name.find('/', 2));
        return endpoint;
    }

    bool withhold() {
        ++withheld_;
        return false;
    }

    std::uint32_t each_second_;
    DtnTime began_ = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> sent_;  ///< in this second
    std::uint64_t withheld_ = 0;
};

}  // namespace farlink::ingress
