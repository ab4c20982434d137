// SPDX-License-Identifier: Apache-2.0
// A node as ION's commands describe it, before it becomes a configuration.
// Filled by the readers of the commands, then read by the assemblies. A value, one thread.
// Each part has the number of its command, by which it is reported.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/config_import/ion/ion_source.hpp"
#include "common/config_import/ion/ion_words.hpp"

namespace farlink::config {

/// `a induct`
struct InductDraft {
    CommandIndex command = 0;
    std::string protocol{};
    std::string name{};
};

/// `a outduct`
struct OutductDraft {
    CommandIndex command = 0;
    std::string protocol{};
    std::string name{};
    std::uint64_t longest_payload = 0;  ///< 0: no limit
    bool used = false;                  ///< by a plan
};

/// The outduct of a plan, "udp/*,host:port" or `a planduct`.
struct PlanDuct {
    CommandIndex command = 0;
    std::string protocol{};
    std::string name{};
    std::string destination{};  ///< behind the comma: the address of an outduct for all
};

/// `a plan` of any of the three programs that have it.
struct PlanDraft {
    CommandIndex command = 0;
    std::optional<std::uint64_t> node{};  ///< of the ipn scheme
    std::string name{};                   ///< of the dtn scheme: "mars", for "dtn://mars/"
    std::vector<PlanDuct> ducts{};
    std::optional<std::string> gateway{};  ///< an endpoint id
    CommandIndex gateway_command = 0;
    std::uint64_t rate_bytes = 0;  ///< per second, where no contact has a rate; 0: no limit
};

/// `a span`
struct SpanDraft {
    CommandIndex command = 0;
    std::uint64_t engine = 0;
    std::uint64_t most_sent = 0;      ///< sessions
    std::uint64_t most_received = 0;  ///< sessions
    std::uint64_t segment_bytes = 0;
    HostPort remote{};
    std::uint64_t rate_bits = 0;     ///< 0: no limit
    double queuing_latency_s = 1.0;  ///< of the neighbour
};

/// `a seat`, or `s` with a command.
struct SeatDraft {
    CommandIndex command = 0;
    HostPort local{};
};

/// `a exit`
struct ExitDraft {
    CommandIndex command = 0;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::string gateway{};
};

/// `a rtovrd` or `a cosovrd`
struct OverrideDraft {
    CommandIndex command = 0;
    std::uint64_t destination = 0;  ///< 0: any node
    std::uint64_t source = 0;       ///< 0: any node
    std::uint64_t neighbour = 0;    ///< 0: it assigns a priority
    std::uint64_t priority = 0;
};

/// `a endpoint`
struct EndpointDraft {
    CommandIndex command = 0;
    std::string id{};
};

/// What acsadmin sets.
struct CustodyDraft {
    bool given = false;
    CommandIndex command = 0;
    std::optional<std::uint64_t> period_s{};
};

struct NodeDraft {
    std::optional<std::uint64_t> node;
    std::optional<CommandIndex> node_command;
    std::vector<CommandIndex> contact_commands;  ///< in order: contacts, ranges, `@`, `^`
    std::map<std::string, CommandIndex> protocols;
    std::vector<InductDraft> inducts;
    std::vector<OutductDraft> outducts;
    std::vector<PlanDraft> plans;
    std::vector<SpanDraft> spans;
    std::vector<SeatDraft> seats;
    double own_queuing_latency_s = 1.0;
    std::vector<ExitDraft> exits;
    std::vector<OverrideDraft> overrides;
    std::vector<EndpointDraft> endpoints;
    CustodyDraft custody;
    std::optional<bool> status_reports;
};

}  // namespace farlink::config
