// SPDX-License-Identifier: Apache-2.0
// What ingress makes of the verdicts of a gate.
#include "module/ingress/core/receive/security_guard.hpp"

#include "common/bp/parse.hpp"
#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress::security_guard_test {
namespace {

using bp::bpsec::Fault;
using security::Passage;
using test::TestBundle;

constexpr std::uint64_t kWantsDeletionReport = 0x40000;

/// Answers as the test wants; a changed bundle is `next` instead, its payload in a slice.
class PlayedGate final : public security::BundleGate {
public:
    struct Script {
        Passage passage = Passage::kUnchanged;
        bool reported = false;
        bool new_payload = false;
        Bytes next;
        std::vector<security::Passing> seen;
    };
    explicit PlayedGate(Script &script) : script_(script) {}

    security::GateVerdict judge(const bp::BundleView &, std::span<const ByteView>,
                                const security::Passing &passing) override {
        script_.seen.push_back(passing);
        security::GateVerdict verdict;
        verdict.passage = script_.passage;
        verdict.reported = script_.reported;
        if (script_.passage == Passage::kDropped) {
            verdict.failure_count = 1;
            verdict.all_failures[0] = {3, "strict", Fault::kMismatch};
        }
        if (script_.passage == Passage::kChanged) {
            verdict.applied = 1;
            const ByteView slice(script_.next);
            const auto view = *bp::parse({&slice, 1});
            head_ = slice.first(view.payload_offset);
            payload_ = slice.subspan(view.payload_offset, view.payload_length);
            tail_ = slice.subspan(view.payload_offset + view.payload_length);
        }
        return verdict;
    }
    security::GateVerdict judge_head(const bp::BundleView &,
                                     const security::Passing &passing) override {
        return judge({}, {}, passing);
    }
    ByteView head() const override { return head_; }
    ByteView tail() const override { return tail_; }
    std::span<const ByteView> payload() const override { return {&payload_, 1}; }
    bool has_new_payload() const override { return script_.new_payload; }

private:
    Script &script_;
    ByteView head_;
    ByteView payload_;
    ByteView tail_;
};

class BundleGuardTest : public IngressFixture {
protected:
    void begin() {
        all_up();
        core().set_gate(std::make_unique<PlayedGate>(script));
    }
    void TearDown() override {
        core().set_gate(nullptr);
        IngressFixture::TearDown();
    }
    Bytes octets_at_egress() {
        Bytes whole;
        for (const ByteView slice : at_egress[0]->slices_of(at_egress[0]->bundles[0]))
            append(whole, slice);
        return whole;
    }

    PlayedGate::Script script;
};

TEST_F(BundleGuardTest, ADroppedBundleIsCountedByRuleAndFault) {
    begin();
    script.passage = Passage::kDropped;
    receive(bundles(2));
    EXPECT_TRUE(at_egress.empty());
    EXPECT_TRUE(at_storage.empty());
    EXPECT_EQ(value(IngressCounter::kDeletedSecurity), 2U);
    EXPECT_EQ(core().counters().value(IngressCounter::kSecurityRule, 3), 2U);
    EXPECT_EQ(core().counters().value(IngressCounter::kSecurityFault,
                                      static_cast<std::size_t>(Fault::kMismatch)),
              2U);
    const BundleNotices notices = core().take_notices();
    ASSERT_TRUE(notices.security_failed);
    EXPECT_EQ(notices.security_failed->rule, "strict");
    EXPECT_TRUE(notices.security_failed->deleted);
}

TEST_F(BundleGuardTest, OnlyListedEndpointsGetAReport) {
    config.status_reports = true;
    begin();
    script.passage = Passage::kDropped;
    TestBundle asking = bundle();
    asking.flags = kWantsDeletionReport;
    asking.report_to = bp::ipn_eid(2, 9);
    receive({asking.octets()});
    EXPECT_EQ(value(IngressCounter::kOriginated), 0U);
    script.reported = true;
    receive({asking.octets()});
    EXPECT_EQ(value(IngressCounter::kOriginated), 1U);
    EXPECT_EQ(value(IngressCounter::kDeletedSecurity), 3U) << "the report is dropped, too";
}

TEST_F(BundleGuardTest, AChangedBundleGoesOnInItsPlace) {
    begin();
    script.passage = Passage::kChanged;
    for (const std::size_t payload : {std::size_t{20}, std::size_t{5000}})
        for (const bool is_new : {false, true}) {
            script.new_payload = is_new;
            TestBundle next = bundle(2, payload);
            next.hop_limit = 9;
            script.next = next.octets();
            receive({bundle(2, payload).octets()});
            ASSERT_EQ(at_egress.size(), 1U);
            EXPECT_EQ(octets_at_egress(), script.next);
            egress_answers(Outcome::kSent);
        }
    core().set_gate(nullptr);  // gives back the memory of changed bundles
}

TEST_F(BundleGuardTest, WithoutAGateBundlesPass) {
    begin();
    script.passage = Passage::kDropped;
    core().set_gate(nullptr);
    receive(bundles(1));
    EXPECT_EQ(at_egress.size(), 1U);
    egress_answers(Outcome::kSent);
    EXPECT_TRUE(script.seen.empty());
}

TEST_F(BundleGuardTest, TheGateGetsWhereABundleComesFromAndGoes) {
    begin();
    core().upstreams().set_link(kUp, LinkId{0});
    script.passage = Passage::kDropped;
    TestBundle here = bundle(10);
    receive({bundle().octets(), here.octets()});
    ASSERT_EQ(script.seen.size(), 2U);
    EXPECT_EQ(script.seen[0].link, LinkId{0});
    EXPECT_FALSE(script.seen[0].made_here);
    EXPECT_FALSE(script.seen[0].stays);
    EXPECT_TRUE(script.seen[1].stays);
}

}  // namespace
}  // namespace farlink::ingress::security_guard_test
