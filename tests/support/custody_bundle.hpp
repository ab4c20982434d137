// SPDX-License-Identifier: Apache-2.0
// BPv6 bundles that request custody or are critical; fields that a test does not set have defaults.
// Plain values and functions.
// Any thread.
#pragma once

#include <optional>

#include "common/bp/parse.hpp"
#include "common/bp/v6/admin_record_codec.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v6/extended_class.hpp"
#include "tests/support/octets.hpp"

namespace farlink::test {

struct CustodyBundle {
    bp::EidView to = bp::ipn_eid(20, 1);
    bp::EidView from = bp::ipn_eid(2, 1);
    bp::EidView custodian = bp::ipn_eid(2, 0);
    bp::EidView report_to{};
    std::optional<std::uint64_t> custody_id{};  ///< in a CTEB of `creator`
    std::optional<bp::EidView> creator{};       ///< empty: the custodian
    std::uint64_t sequence = 1;
    std::uint64_t created_s = 800'000'001;  ///< in 2025, when the clocks of the tests begin
    std::uint64_t lifetime_s = 3600;
    std::size_t payload_bytes = 100;
    std::uint64_t flags = bp::v6::kSingletonDestination | bp::v6::kCustodyRequested;
    bool critical = false;  ///< with an extended class of service block

    [[nodiscard]] Bytes payload() const { return octets_of(payload_bytes, sequence); }

    [[nodiscard]] Bytes octets() const {
        bp::v6::PrimaryFields primary;
        primary.flags = flags | bp::v6::priority_flags(Priority::kNormal);
        primary.destination = to;
        primary.source = from;
        primary.custodian = custodian;
        primary.report_to = report_to;
        primary.creation_time_s = created_s;
        primary.sequence = sequence;
        primary.lifetime_s = lifetime_s;
        bp::v6::Builder builder(primary);
        if (custody_id)
            builder.add_block(bp::v6::kCustodyTransferBlock, 0,
                              encode(bp::v6::CustodyTransferEnhancement{
                                  *custody_id, bp::Eid(creator.value_or(custodian))}));
        if (critical)
            builder.add_block(bp::v6::kExtendedClassBlock, bp::v6::kReplicateBlock,
                              encode(bp::v6::ExtendedClass{.critical = true}));
        builder.add_block(bp::v6::kPayloadBlock, 0, payload());
        return std::move(builder).finish();
    }
    /// The custody signal for it when it has no custody id.
    [[nodiscard]] bp::v6::CustodySignal signal(bool succeeded, std::uint8_t reason = 0) const {
        return {succeeded, reason, {created_s, 0}, {bp::Eid(from), created_s, sequence, {}}};
    }
};

}  // namespace farlink::test
