// SPDX-License-Identifier: Apache-2.0
// Sessions through a relay that cuts the connection at any octet: each bundle is delivered, and
// none is reported as safe that was not.
#include "tests/unit/cla/session/session_cuts.hpp"

namespace farlink::cla::session_cut_test {
namespace {

class SessionCutTest : public SessionCuts {};

TEST_F(SessionCutTest, EachBundleIsDeliveredWhateverIsCut) {
    deliver_through_cuts(300, 20'000);
}

}  // namespace
}  // namespace farlink::cla::session_cut_test
