// SPDX-License-Identifier: Apache-2.0
// What the operator asks of a node, beside its links, routes and stored bundles.
// Part of messages.hpp; a message is owned by whoever holds it.
// Values without behaviour; any thread, one at a time.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/bus/messages/request_id.hpp"

namespace farlink::bus {

/// Supervisor to storage: the operator confirms the clock after a step; bundles expire again.
struct ClockConfirm {};
/// Supervisor to ingress, every instance: take nothing new from neighbours, or take it again.
struct DrainMode {
    bool held = false;
};
/// Supervisor to ingress: send an echo request of this node to an endpoint.
struct PingRequest {
    RequestId id{};
    Bytes destination;  ///< as text
    std::uint32_t payload_bytes = 0;
    Duration lifetime{};
    std::uint8_t version = 7;  ///< of the Bundle Protocol
};
/// Ingress to supervisor: the echo has come back, or the request cannot be sent.
struct PingReply {
    RequestId id{};
    Bytes error;  ///< empty: the echo is there
    Duration taken{};
};
/// Supervisor to a module: what its process logs from now on.
struct LogChange {
    Bytes logger;            ///< the name of one logger; empty: all
    std::uint8_t level = 0;  ///< LogLevel
};
/// Supervisor to ingress, egress, storage and telemetry: settings that change while the node runs.
struct SettingsChange {
    Bytes settings;  ///< keys of the configuration file as JSON, with absolute file names
};
/// Supervisor to telemetry: the configuration was reloaded, or a reload was refused.
struct ReloadReport {
    bool done = false;
    Bytes text;   ///< the changes, or the reason of the refusal
    Bytes shown;  ///< the configuration in force, as JSON without secrets; empty: as before
};
enum class CommandKind : std::uint8_t {
    kDrain = 0,
    kResume = 1,
    kLinkDown = 2,
    kLinkUp = 3,
    kPlan = 4,
};
/// Supervisor to telemetry: a command has been carried out that is an event of the node.
struct CommandReport {
    CommandKind kind = CommandKind::kDrain;
    LinkId link = kNoLink;
    std::uint64_t number = 0;  ///< of the link's neighbour; the version of the plan
};
/// Supervisor to telemetry: a GET request of the HTTP API, by the control socket.
struct StateRequest {
    RequestId id{};
    Bytes target;  ///< of the HTTP API, as `/api/v1/state`
};
/// The reply to it, as the HTTP API gives it.
struct StateReply {
    RequestId id{};
    std::uint16_t status = 0;
    Bytes body;
};
/// Telemetry to supervisor: a request by the HTTP API, in the form of the control socket
/// (docs/formats/control.md).
struct ApiRequest {
    RequestId id{};
    Bytes caller;   ///< the requester, for the log, as text
    Bytes request;  ///< one JSON object
};
/// The reply to it, likewise.
struct ApiReply {
    RequestId id{};
    Bytes reply;
};

}  // namespace farlink::bus
