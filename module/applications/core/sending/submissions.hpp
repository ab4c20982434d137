// SPDX-License-Identifier: Apache-2.0
// Decides whether an ADU of an application may be sent, and as which bundle.
// Owned by ApplicationsCore.
// One thread.
#pragma once

#include <cstdint>

#include "common/base/clock_guard.hpp"
#include "common/config/applications/applications_config.hpp"
#include "module/applications/core/access/access_table.hpp"
#include "module/applications/core/protocol/aap2.hpp"
#include "module/applications/core/protocol/verdict.hpp"
#include "module/applications/core/sending/adu_bundle.hpp"

namespace farlink::applications {

class Submissions {
public:
    /// `seed` differs from start to start.
    Submissions(const config::ApplicationsNode &config, const ClockGuard &clock,
                std::uint64_t seed);

    /// `own`: the endpoint of the session. On success `fields` borrow until the next call.
    [[nodiscard]] Verdict admit(const Grant &grant, const bp::EidView &own, const BundleAdu &adu,
                                AduFields &fields, TimePoint now);

private:
    [[nodiscard]] Verdict set_endpoints(const Grant &grant, const bp::EidView &own,
                                        const BundleAdu &adu, bp::v7::PrimaryFields &primary);
    [[nodiscard]] Verdict judge_endpoints(const Grant &grant, const bp::EidView &own,
                                          const BundleAdu &adu);
    [[nodiscard]] bool is_as_before(const Grant &grant, const bp::EidView &own,
                                    const BundleAdu &adu) const;
    [[nodiscard]] static Verdict set_version(const BundleAdu &adu, AduFields &fields);
    [[nodiscard]] Verdict set_lifetime(const Grant &grant, const BundleAdu &adu,
                                       AduFields &fields) const;
    [[nodiscard]] static Verdict set_options(const Grant &grant, const BundleAdu &adu,
                                             AduFields &fields);
    [[nodiscard]] Verdict judge_time(const Grant &grant, const bp::v7::PrimaryFields &primary,
                                     TimePoint now) const;
    [[nodiscard]] Verdict take_timestamp(const Grant &grant, const BundleAdu &adu,
                                         AduFields &fields, TimePoint now) const;
    void set_timestamp(AduFields &fields, TimePoint now);

    const config::ApplicationsNode &config_;
    const ClockGuard &clock_;
    const std::uint64_t first_sequence_;
    DtnTime last_time_ = 0;
    std::uint64_t sequence_;
    std::uint64_t sequence_v6_;
    /// What judge_endpoints() has allowed last: ADUs of a flow are alike.
    struct Judged {
        const Grant *grant = nullptr;  ///< null: nothing
        bp::Eid own{};
        std::string source{};
        std::string destination{};
        std::string report_to{};
    };
    Judged last_;
    bp::Eid source_;
    bp::Eid destination_;
    bp::Eid report_to_;
};

}  // namespace farlink::applications
