// SPDX-License-Identifier: Apache-2.0
// Listens on one link and gives every bundle to the verifier, until a limit is reached.
// Owned by bpsink's main(); one thread.
// Connections may end and begin again. A bundle is acknowledged as soon as the verifier has it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apps/bpsink/answer_links.hpp"
#include "apps/bpsink/custody_signaller.hpp"
#include "apps/bpsink/echo.hpp"
#include "apps/shared/traffic/fragments/large_bundle.hpp"
#include "apps/shared/traffic/link_loop.hpp"
#include "apps/shared/traffic/security/bundle_opener.hpp"
#include "apps/shared/traffic/verifier.hpp"
#include "cla/api/link.hpp"
#include "common/base/time.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::bpsink {

struct EchoOptions {
    bp::Eid local;                            ///< the source of the echoes
    std::optional<config::OutductConfig> to;  ///< none: by the sessions of the bundles
};

struct SinkOptions {
    config::InductConfig listen;
    std::uint64_t bundles = 0;  ///< stop after this number of different ones; 0: no limit
    std::optional<Duration>
        idle_exit;                ///< stop after this time without a bundle, counted from the first
    bool until_complete = false;  ///< stop when every run that began is complete
    bool progress = false;        ///< a JSON line a second on stderr
    bool progress_text = false;   ///< a line of text instead
    std::optional<AnswerOptions> custody;     ///< none: custody is not accepted
    std::optional<EchoOptions> echo;          ///< none: nothing is echoed
    traffic::BundleOpener *opener = nullptr;  ///< verifies and decrypts; outlives the sink
};

class Sink final : private cla::LinkHost {
public:
    using ProtocolDeviations =
        std::array<std::uint64_t, static_cast<std::size_t>(cla::ProtocolDeviation::kCount_)>;

    Sink(const SinkOptions &options, traffic::LinkLoop &loop, traffic::Verifier &verifier);

    /// Listens; false when that fails.
    [[nodiscard]] bool open();
    [[nodiscard]] std::uint16_t port() const { return induct_->port(); }
    /// Receives until a limit of the options or a stop signal, then ends the sessions.
    void run();

    [[nodiscard]] std::uint64_t connections() const { return opened_; }
    /// Connections that ended in the middle of a bundle.
    [[nodiscard]] std::uint64_t cut_off() const { return cut_off_; }
    /// Null when no bundle is verified or decrypted.
    [[nodiscard]] const traffic::BundleOpener *opener() const { return options_.opener; }
    /// Protocol deviations of peers, by kind.
    [[nodiscard]] const ProtocolDeviations &deviations() const { return deviations_; }
    struct Echoed {
        std::uint64_t sent = 0;        ///< handed to a link
        std::uint64_t unanswered = 0;  ///< no echo is allowed
        std::uint64_t dropped = 0;     ///< there was no link, or it has not taken the echo
        std::uint64_t refused = 0;     ///< bundles, since too many echoes waited
    };
    /// None: nothing is echoed.
    [[nodiscard]] std::optional<Echoed> echoed() const;
    /// Null when custody is not accepted.
    [[nodiscard]] const CustodySignaller *answers() const {
        return custody_signaller_ ? &*custody_signaller_ : nullptr;
    }

private:
    void on_upstream_opened(LinkId link, UpstreamId from, bool acknowledges) override;
    void on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) override;
    void on_upstream_closed(LinkId link, UpstreamId from, cla::LinkFault fault) override;
    void on_state(LinkId link, cla::LinkState state, cla::LinkFault) override {
        answers_.handle_state(link, state);
    }
    void on_transmitted(LinkId link, std::uint64_t token) override {
        answers_.handle_transmitted(link, token);
    }
    void on_refused(LinkId, std::uint64_t, cla::Refusal refusal) override {
        answers_.handle_refused(refusal);
    }
    void on_writable(LinkId link) override { answers_.handle_writable(link); }
    void on_deviation(LinkId link, const cla::PeerIdentity &,
                      cla::ProtocolDeviation deviation) override;

    void take_piece(UpstreamId from, const ReceivedBundle &piece, std::span<const ByteView> octets,
                    const traffic::Arrival &arrival);
    [[nodiscard]] bool refuse(UpstreamId from, const ReceivedBundles &received);
    void take(UpstreamId from, std::span<const ByteView> bundle, DtnTime now_ms,
              const traffic::Arrival &arrival);
    void echo(UpstreamId from, std::span<const ByteView> bundle, DtnTime now_ms);
    [[nodiscard]] bool done(TimePoint now) const;
    [[nodiscard]] TimePoint idle_end() const;
    void report_progress(TimePoint now);
    void publish_progress(const traffic::Totals &totals);
    void close();

    SinkOptions options_;
    traffic::LinkLoop &loop_;
    traffic::Verifier &verifier_;
    std::unique_ptr<cla::Induct> induct_;
    AnswerLinks answers_;
    std::optional<CustodySignaller> custody_signaller_;
    std::optional<Echo> echo_;
    LinkId echo_to_ = kNoLink;  ///< the outduct for echoes, if any
    Echoed echoed_;
    /// Bundles that are arriving in pieces, by session and channel.
    std::map<std::pair<UpstreamId, std::uint32_t>, traffic::LargeBundle> large_;
    bool listening_ = false;
    TimePoint last_bundle_ = kNever;
    TimePoint next_progress_{};
    traffic::Totals published_{};  ///< in the previous line
    std::uint64_t opened_ = 0;
    std::uint64_t open_ = 0;  ///< of opened_, those that are open
    std::uint64_t cut_off_ = 0;
    ProtocolDeviations deviations_{};
};

}  // namespace farlink::bpsink
