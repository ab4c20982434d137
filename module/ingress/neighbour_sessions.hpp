// SPDX-License-Identifier: Apache-2.0
// Sessions that neighbours have opened and that bundles can leave by: which node the peer of each
// is, and the bundles that egress sends by it.
// Owned by the ingress agent; its thread only.
// A node has one such link, under the same number each time it connects; the first session that is
// certain to be its own carries it, and another one takes over only when that has ended.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cla/api/link.hpp"
#include "common/bp/forwarding_editor.hpp"
#include "common/buffer/ring.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/link_placement.hpp"
#include "common/config/node/node_config.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/link_tallies.hpp"
#include "module/ingress/unproved_sessions.hpp"

namespace farlink::ingress {

using config::kFirstOpenedLink;

class NeighbourSessions {
public:
    /// `send` takes messages to egress, `take_back` the batches from take(), with their outcomes.
    /// All are those of one instance of ingress.
    NeighbourSessions(const config::NodeConfig &config, telemetry::IngressCounters &counters,
                      telemetry::LinkTallies &tallies, std::function<void(bus::Message)> send,
                      std::function<void(BatchPtr)> take_back, std::size_t instance = 0)
        : config_(config),
          placement_(config),
          instance_(instance),
          fragment_above_(config.fragment_above_bytes),
          counters_(counters),
          tallies_(tallies),
          send_(std::move(send)),
          take_back_(std::move(take_back)) {}

    // ---- from the links
    /// The configuration names the peer's address, or the peer has proved who it is.
    [[nodiscard]] bool knows(const config::InductConfig &config,
                             const cla::PeerIdentity &peer) const;
    /// The peer of a session of `induct` has announced itself.
    void handle_peer(cla::Induct &induct, const config::InductConfig &config, UpstreamId session,
                     const cla::PeerIdentity &peer);
    /// `detail`: what is known beyond the name of the fault.
    void handle_closed(UpstreamId session, cla::LinkFault fault, std::string_view detail = {});
    /// The link that this session carries, and the node that it leads to; if it does.
    struct Carried {
        LinkId link;
        NodeNumber node;
    };
    [[nodiscard]] std::optional<Carried> carried_by(UpstreamId session) const;
    /// What to do about a session of a peer that is not proved; null for others.
    [[nodiscard]] const std::string *advice(UpstreamId session) const {
        return unproved_.advice(session);
    }
    /// The number with which such a session is listed; kNoLink for others.
    [[nodiscard]] LinkId unproved_link(UpstreamId session) const { return unproved_.link(session); }
    /// Counts bundles at the link that the session carries, if it does.
    void count_received(UpstreamId session, std::uint64_t bundles, std::uint64_t bytes);
    /// The next message about a link for telemetry.
    [[nodiscard]] std::optional<bus::LinkInfo> poll_info();
    /// Telemetry has restarted, without any link.
    void publish_all_again();
    void handle_transmitted(LinkId link, std::uint64_t token);
    void handle_refused(LinkId link, std::uint64_t token, cla::Refusal refusal);
    void handle_writable(LinkId link);
    /// The neighbour does not answer, or does again; its session lasts.
    void handle_state(LinkId link, bool connected, cla::LinkFault fault);

    // ---- from ingress
    /// Sends a bundle that is alone on its way to such a link: egress would only send it back. It
    /// saves two changes of threads, most of an echo's way. False: it is for egress, which also
    /// cuts what is too large.
    [[nodiscard]] bool take(BatchPtr &batch, DtnTime today, TimePoint now);
    /// Larger bundles are for egress; 0: no limit.
    void set_fragment_above(std::uint64_t bytes) { fragment_above_ = bytes; }

    // ---- egress in another process
    /// Egress is lost: drops its bundles, except transfers that have started.
    void handle_egress_lost();
    /// Egress has restarted, without any session.
    void announce_all();

    // ---- from egress
    void handle(bus::TransmitBatch message);
    /// Egress sends no more by this link: bundles that are not started return.
    void handle(const bus::SessionChange &change);
    /// How fast the link's sessions go, and how far, by the contact.
    void handle(const bus::LinkPace &pace);

private:
    /// Its bundles carry the tokens first_token, first_token + 1, ...
    struct Given {
        BatchPtr batch;
        std::uint64_t first_token = 0;
        std::uint32_t begun = 0;  ///< bundles that the session has
        bool own = false;         ///< from take(): its head is Link::own_head
    };
    struct Claim {
        UpstreamId session;
        cla::Induct *induct = nullptr;
        const std::string *node_id = nullptr;  ///< of this node, towards that peer
        std::string url;                       ///< layer and address of the peer
    };
    struct Link {
        LinkId id = kNoLink;
        NodeNumber node;
        UpstreamId session = kNoUpstream;
        cla::Outduct *out = nullptr;  ///< the session's sending half; null: there is none
        Ring<Given> given;            ///< oldest first
        std::uint64_t next_token = 0;
        Bytes node_id;              ///< of this node, towards the neighbour of the session
        std::vector<Claim> others;  ///< sessions of the same node that may take over
        bus::LinkPace pace;         ///< of the contact, for each session that carries the link
        /// How this node changes the heads of what take() has taken; one bundle at a time.
        std::optional<bp::ForwardingEditor> editor;
        Bytes own_head;
        std::size_t own_head_size = 0;
        bool paced = false;      ///< something was refused: egress decides when to go on
        bool in_pieces = false;  ///< the bundle begun has further pieces
        bool contact = true;     ///< the plan has one
        bool lost = false;       ///< the neighbour does not answer
        std::string url;         ///< of the peer of the last session
        std::string reason;      ///< of the fault by which it has ended, or does not answer
        telemetry::LinkTallies::Entry *tally = nullptr;
        bool feeding = false;
        bool again = false;
    };

    [[nodiscard]] std::optional<NodeNumber> node_of(const config::InductConfig &config,
                                                    const cla::PeerIdentity &peer) const;
    [[nodiscard]] Link &link_to(NodeNumber node);
    [[nodiscard]] Link *find(LinkId link);
    void take_over(Link &link, const Claim &claim);
    void announce(const Link &link);
    void give_back_unbegun(Link &link);
    static void set_pace(const Link &link);
    void end(Link &link, cla::LinkFault fault, std::string_view detail);
    void announce_end(Link &link, cla::LinkFault fault);
    void feed(Link &link);
    [[nodiscard]] std::size_t render(Link &link, std::uint64_t credit);
    [[nodiscard]] bool leaves_whole(const Link &link, std::uint64_t size) const;
    [[nodiscard]] static TxBundle bundle_of(const Link &link, const Given &given);
    void give_back(Given given);
    void give_back(BatchPtr batch);
    void take_back_own(BatchPtr batch);
    void publish_state(const Link &link);

    const config::NodeConfig &config_;
    const config::LinkPlacement placement_;
    const std::size_t instance_;
    std::uint64_t fragment_above_;  ///< bytes; 0: no limit
    telemetry::IngressCounters &counters_;
    telemetry::LinkTallies &tallies_;
    std::function<void(bus::Message)> send_;
    std::function<void(BatchPtr)> take_back_;
    UnprovedSessions unproved_{placement_, instance_};
    std::map<NodeNumber, Link> links_;
    std::unordered_map<LinkId, NodeNumber> node_of_link_;
    std::unordered_map<UpstreamId, NodeNumber> node_of_session_;
    std::vector<TxBundle> tx_;
    Ring<bus::LinkInfo> infos_;
};

}  // namespace farlink::ingress
