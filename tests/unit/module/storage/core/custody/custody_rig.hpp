// SPDX-License-Identifier: Apache-2.0
// A storage core that takes custody as node 10, its directory, and a bundle to fill.
// The base of tests; each test has its own, in virtual time.
// The options are read when the rig is used first.
#pragma once

#include <gtest/gtest.h>

#include "common/bp/parse.hpp"
#include "tests/support/custody_bundle.hpp"
#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test {

class CustodyRig : public ::testing::Test {
protected:
    CustodyRig() {
        options.custody.node = NodeNumber{10};
        options.custody.config.retransmit_after = seconds(10);
        options.custody.config.depleted_delay = seconds(30);
        bundle.created_s = kRigStartMs / 1000;
    }
    Rig &rig() {
        if (!rig_) rig_ = std::make_unique<Rig>(directory, options);
        return *rig_;
    }
    /// The custody id under which the last bundle released is known.
    std::uint64_t released_id() {
        const Bytes &octets = rig().released.back().octets;
        const auto view = bp::parse(std::array{ByteView(octets)}).value();
        return bp::v6::custody_id_of(view, ByteView(octets).first(view.head_end)).value();
    }
    std::uint64_t count(storage::StorageCounter counter) { return rig().count(counter); }

    SimDirectory directory;
    RigOptions options;
    test::CustodyBundle bundle;
    std::unique_ptr<Rig> rig_;
};

}  // namespace farlink::test
