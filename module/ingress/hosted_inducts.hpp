// SPDX-License-Identifier: Apache-2.0
// The inducts of one instance of ingress: opened at the start, added, changed and removed by the
// operator, and the sessions of each.
// Owned by the ingress agent; its thread only.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cla/io/resources.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/link_placement.hpp"
#include "common/runtime/log/log.hpp"
#include "module/ingress/hosted_induct.hpp"
#include "module/ingress/induct_reports.hpp"
#include "module/ingress/shared_port_outducts.hpp"

namespace farlink::ingress {

class HostedInducts {
public:
    HostedInducts(const config::NodeConfig &config, std::size_t instance,
                  const cla::LinkResources &resources, InductReports &reports, Logger &log)
        : config_(config),
          placement_(config),
          instance_(instance),
          resources_(resources),
          reports_(reports),
          log_(log) {}

    // ---- inducts that come and go
    /// Opens the configured inducts of this instance. False: one cannot listen; the link logs why.
    [[nodiscard]] bool open_configured();
    /// Carries out an operator's change of an induct, or of an outduct that leaves by the port of
    /// one. The result is what is wrong with the change; empty: done.
    [[nodiscard]] std::string change(const bus::LinkChange &change);
    /// Undoes all changes: the supervisor has restarted, and sends those again that are in effect.
    void restore();
    /// The inducts finish: see all_closed().
    void close_all();
    /// After close_all(): nothing more can be kept; see cla::Induct.
    void give_up() {
        for_each([](HostedInduct &hosted) { hosted.induct->give_up(); });
    }
    /// Whether the node could store what arrives without acknowledgements; see cla::Induct.
    void set_receiving(bool receiving);
    /// Deletes removed inducts whose sessions have ended and whose last callbacks have come.
    void delete_retired(TimePoint now);

    // ---- sessions
    HostedInduct &add_session(LinkId link, UpstreamId session);
    /// Null for a session that egress hosts.
    [[nodiscard]] HostedInduct *of_session(UpstreamId session);
    void remove_session(UpstreamId session) { of_session_.erase(session); }
    [[nodiscard]] std::size_t sessions() const { return of_session_.size(); }
    void handle_state(cla::LinkState state);
    /// No induct waits for the end of its sessions.
    [[nodiscard]] bool all_closed() const { return closing_ == 0; }

    // ---- look-ups
    /// Null for an induct that was removed.
    [[nodiscard]] HostedInduct *find(LinkId link) const;
    /// False for an induct that was removed and whose sessions have not all ended.
    [[nodiscard]] bool is_current(LinkId link) const {
        return link.value() >= config::kFirstOpenedLink || inducts_.contains(link);
    }
    /// The ports of all configured inducts, in order; 0 for those of other instances.
    [[nodiscard]] std::vector<std::uint16_t> ports() const;
    /// The places of configured inducts that do not listen until set_receiving(true).
    [[nodiscard]] std::vector<std::uint16_t> waiting() const;
    template <class Each>
    void for_each(Each &&each) const {
        for (const auto &[link, hosted] : inducts_) each(*hosted);
    }

private:
    /// A removed induct: its sessions end within the limits of their convergence layer.
    struct Retired {
        TimePoint until{};
        HostedInductPtr hosted;
    };

    [[nodiscard]] bool open(const config::InductConfig &config);
    [[nodiscard]] std::string change_induct(const bus::LinkChange &change);
    [[nodiscard]] std::string replace(const config::InductConfig &config);
    [[nodiscard]] HostedInductPtr take(LinkId link);
    void retire(HostedInductPtr hosted);
    void end_sessions(const HostedInduct &hosted);
    void forget(LinkId link);

    const config::NodeConfig &config_;
    const config::LinkPlacement placement_;
    const std::size_t instance_;
    const cla::LinkResources resources_;
    InductReports &reports_;
    Logger &log_;
    std::map<LinkId, HostedInductPtr> inducts_;
    SharedPortOutducts outducts_{config_, inducts_};
    std::vector<Retired> retired_;
    std::set<LinkId> changed_;  ///< links that differ from the configuration
    std::unordered_map<UpstreamId, HostedInduct *> of_session_;
    bool receiving_ = true;
    std::size_t closing_ = 0;  ///< inducts whose sessions have not all ended
};

}  // namespace farlink::ingress
