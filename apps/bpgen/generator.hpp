// SPDX-License-Identifier: Apache-2.0
// Sends the bundles of one run over one link, at a rate or as fast as it can.
// Owned by bpgen's main(); one thread.
// With acknowledgements, the next session sends what a lost one left unacknowledged. Without, a
// lost connection ends the run, since the fate of its bundles is unknown, unless they are in
// custody.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "apps/shared/traffic/bundle_group.hpp"
#include "apps/shared/traffic/content/bundle_template.hpp"
#include "apps/shared/traffic/content/payload.hpp"
#include "apps/shared/traffic/fragments/bundle_pieces.hpp"
#include "apps/shared/traffic/fragments/fragment_maker.hpp"
#include "apps/shared/traffic/link_loop.hpp"
#include "apps/shared/traffic/link_trouble.hpp"
#include "apps/shared/traffic/pacer.hpp"
#include "apps/shared/traffic/security/sealed_bundles.hpp"
#include "apps/shared/traffic/sending/custody_ledger.hpp"
#include "apps/shared/traffic/sending/send_window.hpp"
#include "apps/shared/traffic/trouble_notice.hpp"
#include "cla/api/link.hpp"
#include "common/base/time.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::bpgen {

struct GeneratorOptions {
    config::OutductConfig via;
    std::optional<config::InductConfig> listen;  ///< for custody signals, where `via` works one way
    traffic::BundleOptions bundle;
    traffic::FragmentOptions fragments;       ///< in place of whole bundles
    traffic::BundleSealer *sealer = nullptr;  ///< signs and encrypts them; outlives the generator
    double bundle_rate = 0;                   ///< bundles a second; 0: as fast as possible
    std::optional<Duration> duration;         ///< none: until `bundles` or a signal
    std::uint64_t bundles = 0;                ///< 0: until `duration` or a signal
    Duration connect_timeout{};               ///< for the first connection
    Duration acknowledge_timeout{};           ///< limit of a time without progress at the end
    Duration custody_timeout{};               ///< a bundle is sent again without a custody signal
    bool progress = false;                    ///< a line a second on stderr
};

/// Counters of custody transfer from the generator to other nodes.
struct CustodyReport {
    std::uint64_t accepted = 0;     ///< bundles whose custody another node accepted
    std::uint64_t outstanding = 0;  ///< bundles without a custody signal
    std::uint64_t refused = 0;      ///< how often custody of a bundle was refused
    std::uint64_t depleted = 0;     ///< of those, for depleted storage
    std::uint64_t resent = 0;       ///< after a time without a signal
    std::uint64_t signals = 0;      ///< about one bundle each
    std::uint64_t aggregates = 0;   ///< signals about many
    double seconds = 0;             ///< from the first bundle to the last acceptance
};

struct GeneratorReport {
    std::uint64_t run = 0;
    std::uint64_t bundles = 0;
    std::uint64_t fragments = 0;     ///< where they were sent
    std::uint64_t bundle_bytes = 0;  ///< of those, without overhead of the convergence layer
    /// From the first bundle to the last acknowledgement where the convergence layer acknowledges,
    /// else to the last bundle.
    double seconds = 0;
    std::uint64_t rated_bundles = 0;  ///< whole bundles that were sent, or acknowledged, by then
    std::uint64_t acknowledged_bundles = 0;  ///< where the convergence layer acknowledges
    std::uint64_t resent = 0;                ///< after a lost session or a refusal
    std::uint64_t refused = 0;               ///< how often the peer refused a bundle
    std::uint64_t sessions = 0;              ///< how often the link was connected
    std::optional<CustodyReport> custody;    ///< when custody was requested
    bool acknowledged = false;               ///< every bundle
    std::string error;                       ///< empty on success
};

class Generator final : private cla::LinkHost {
public:
    /// `bundles` writes the bundles, `run` is the payload headers' run number.
    Generator(const GeneratorOptions &options, traffic::LinkLoop &loop,
              traffic::BundleTemplate &bundles, const traffic::Pattern &pattern, std::uint64_t run);

    /// Connects, sends and waits for acknowledgements; a stop signal ends it, too, and a second one
    /// without the wait.
    [[nodiscard]] GeneratorReport run();
    /// Listens for custody signals; false when that fails.
    [[nodiscard]] bool listen() { return !induct_ || induct_->open(); }
    /// The port of the induct for custody signals; 0 without one.
    [[nodiscard]] std::uint16_t port() const {
        return induct_ ? induct_->port() : std::uint16_t{0};
    }

private:
    static constexpr LinkId kOutduct{0};
    static constexpr LinkId kInduct{1};

    void on_upstream_opened(LinkId, UpstreamId, bool) override {}
    void on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) override;
    void on_upstream_closed(LinkId, UpstreamId, cla::LinkFault) override {}
    void on_ending(LinkId link, const cla::PeerIdentity &, std::string_view detail) override {
        if (link == kOutduct) trouble_.handle_ending(detail);
    }
    void on_unreachable(LinkId, std::string_view why) override { trouble_.handle_unreachable(why); }
    void on_state(LinkId link, cla::LinkState state, cla::LinkFault fault) override;
    void on_transmitted(LinkId link, std::uint64_t token) override;
    void on_refused(LinkId link, std::uint64_t token, cla::Refusal refusal) override;
    void on_writable(LinkId) override {}

    [[nodiscard]] std::string connect();
    [[nodiscard]] std::string send_all();
    [[nodiscard]] bool transmit(TimePoint now);
    [[nodiscard]] std::uint64_t transmit_group(TimePoint now);
    [[nodiscard]] bool add_bundle(const traffic::PayloadHeader &header, std::uint64_t token);
    /// The largest one of the run.
    [[nodiscard]] std::uint64_t most_bytes() const;
    [[nodiscard]] std::uint64_t begin_in_pieces(const traffic::PayloadHeader &header,
                                                const traffic::Stretch &stretch, bool again);
    [[nodiscard]] std::uint64_t transmit_piece();
    [[nodiscard]] std::optional<traffic::Stretch> next_stretch(std::uint64_t at_most,
                                                               TimePoint now);
    [[nodiscard]] bool all_handed_over() const { return next_.sequence >= wanted_; }
    [[nodiscard]] bool done() const {
        return all_handed_over() && window_.empty() && (!custody_ || custody_->outstanding() == 0);
    }
    [[nodiscard]] TimePoint next_resend() const;
    [[nodiscard]] std::string unfinished(const std::string &when) const;
    [[nodiscard]] bool take_signal(std::span<const ByteView> bundle);
    void measure(GeneratorReport &report) const;
    [[nodiscard]] std::optional<CustodyReport> custody_report() const;
    [[nodiscard]] TimePoint give_up_at() const;
    void end_run();
    void report_progress(TimePoint now);
    void report_trouble(TimePoint now);
    void close();

    GeneratorOptions options_;
    traffic::LinkLoop &loop_;
    traffic::BundleGroup group_;
    traffic::SendWindow window_;
    std::optional<traffic::CustodyLedger> custody_;
    std::unique_ptr<cla::Outduct> outduct_;
    std::unique_ptr<cla::Induct> induct_;
    std::optional<traffic::Pacer> pacer_;
    traffic::FragmentMaker fragments_;
    traffic::BundlePieces pieces_;
    std::optional<traffic::SealedBundles> sealed_;
    std::uint64_t tokens_per_bundle_ = 1;  ///< of the link; more than one: they are sent in pieces
    /// Of the next new bundle. Where fragments are sent, `sequence` and `wanted_` count those.
    traffic::PayloadHeader next_;
    std::uint64_t wanted_;  ///< bundles of the run
    std::uint64_t bundle_bytes_ = 0;
    std::uint64_t sessions_ = 0;
    bool ending_ = false;  ///< by time or by a signal
    cla::LinkState state_ = cla::LinkState::kClosed;
    traffic::LinkTrouble trouble_;
    traffic::TroubleNotice notice_;
    std::string failure_;
    TimePoint last_progress_{};
    TimePoint first_hand_over_{};
    TimePoint last_hand_over_{};
    TimePoint last_acknowledged_{};
    TimePoint next_progress_ = kNever;
    std::uint64_t published_bundles_ = 0;  ///< in the previous line
    TimePoint last_acceptance_{};
    Bytes joined_;  ///< a bundle that came in slices
};

}  // namespace farlink::bpgen
