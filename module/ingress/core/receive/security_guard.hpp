// SPDX-License-Identifier: Apache-2.0
// Applies the rules of BPSec to each bundle before it is accepted: counts, reports and deletes what
// they refuse, and puts what they change into slabs.
// Owned by BundleReceiver; one thread. Without rules it has no gate and is not asked.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "common/security/gate/bundle_gate.hpp"
#include "module/ingress/core/local/local_deliveries.hpp"
#include "module/ingress/core/state/ingress_context.hpp"

namespace farlink::ingress {

class SecurityGuard {
public:
    SecurityGuard(IngressContext &context, LocalDeliveries &local)
        : context_(context), local_(local) {}

    [[nodiscard]] bool active() const { return gate_ != nullptr; }
    /// The rules from the next bundle on; null: none.
    void set_gate(std::unique_ptr<security::BundleGate> gate);

    /// The bundle as it goes on, valid until the next call; empty when it goes no further.
    /// `stays`: it is for this node.
    struct Passed {
        bool changed = false;
        Arrival arrival;
    };
    [[nodiscard]] std::optional<Passed> judge(const bp::BundleView &view, const Arrival &arrival,
                                              bool stays, TimePoint now);
    /// The same for a bundle in pieces, which is never changed: whether it goes on.
    [[nodiscard]] bool admits(const bp::BundleView &view, const Arrival &first, bool stays,
                              TimePoint now);

private:
    [[nodiscard]] security::Passing passing_of(const Arrival &arrival, bool stays,
                                               TimePoint now) const;
    void count(const security::GateVerdict &verdict, const bp::BundleView &view);
    void discard(const security::GateVerdict &verdict, const bp::BundleView &view,
                 const Arrival &arrival, TimePoint now);
    void refuse(const Arrival &arrival, TimePoint now);
    [[nodiscard]] std::optional<Arrival> changed(const Arrival &arrival);
    [[nodiscard]] bool reserve(std::uint64_t bytes);

    IngressContext &context_;
    LocalDeliveries &local_;
    std::unique_ptr<security::BundleGate> gate_;
    SlabRef room_;  ///< for the octets of changed bundles, one after the other
    std::uint32_t used_ = 0;
    std::vector<ByteView> slices_;
    std::vector<SlabRef> slabs_;
};

}  // namespace farlink::ingress
