// SPDX-License-Identifier: Apache-2.0
// The contact plan and its changes.
// Part of messages.hpp; a message is owned by whoever holds it.
// Values without behaviour; any thread, one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/bus/messages/event_header.hpp"
#include "common/bus/messages/request_id.hpp"

namespace farlink::bus {

/// One contact of the plan in absolute DTN milliseconds, half open: start <= t < end.
struct Contact {
    std::uint64_t id = 0;
    NodeNumber source;
    NodeNumber destination;
    DtnTime start = 0;
    DtnTime end = 0;
    BitRate rate;
    Duration owlt{};
    friend bool operator==(const Contact &, const Contact &) = default;
};
/// Scheduler to router: the whole plan, at the start and when it is asked.
struct ContactsUpdate {
    EventHeader header;
    std::vector<Contact> contacts;
};
/// Supervisor to scheduler: another contact plan. The scheduler replies with a LinkSnapshot: the
/// links as they are then, or, of a dry run, as they would be. The router replies with a
/// RoutesPreview. Both repeat the id.
struct PlanReplace {
    bool dry_run = false;
    std::vector<Contact> contacts;
    RequestId id{};
};
/// Supervisor to scheduler: contacts that the running plan loses, each with all its fields, and
/// contacts that it gets. The scheduler replies with a LinkSnapshot, the router with a
/// RoutesPreview of what that has changed. Both repeat the id.
struct PlanChange {
    std::vector<Contact> removed;
    std::vector<Contact> added;
    RequestId id{};
};
/// Scheduler to router: the same, of the plan that the router has; `id` is that of the supervisor.
struct ContactsChange {
    std::vector<Contact> removed;
    std::vector<Contact> added;
    RequestId id{};
};
/// Scheduler to router: a plan that may come; `id` is that of the supervisor.
struct ContactsProposal {
    std::vector<Contact> contacts;
    RequestId id{};
};

}  // namespace farlink::bus
