// SPDX-License-Identifier: Apache-2.0
// The HTTP API: what each path and method answers, or which command of the node it is.
// Owned by the server; one thread.
// A request in, an answer or a command out: sockets, tokens and the supervisor are others'
// business. docs/api/openapi.yaml describes what it serves.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/time.hpp"
#include "module/telemetry/api/call.hpp"
#include "module/telemetry/api/target.hpp"
#include "module/telemetry/core/node_view.hpp"

namespace farlink::telemetry {

/// Something that the supervisor does, in the words of the control socket.
struct Command {
    std::string request;
    std::string change;     ///< what it changes, for the audit; empty: nothing
    LinkId link = kNoLink;  ///< that it concerns
    /// Makes an answer of a reply that is ok; null: it is the reply itself, without `ok`.
    Answer (*render)(const Json &reply) = nullptr;
    seconds patience{15};  ///< how long the reply may take
};

/// A file of the dashboard: its path within the folder.
struct StaticFile {
    std::vector<std::string> path;
};

using Outcome = std::variant<Answer, Command, StaticFile>;

class Api {
public:
    /// `view` is borrowed; `config` is the configuration that may be shown, as JSON.
    Api(NodeView &view, std::string config) : view_(view), config_(std::move(config)) {}

    /// `call` is that of somebody whose Host and Origin are in order.
    [[nodiscard]] Outcome handle(const Call &call, const Moment &moment);
    /// Of a command's reply, as octets of the supervisor.
    [[nodiscard]] static Answer answer_of(const Command &command, std::string_view reply);
    /// How many octets a body may have, as soon as its head is known.
    [[nodiscard]] static std::uint64_t body_limit(std::string_view method, std::string_view target);

    static constexpr std::uint64_t kMostBodyBytes = 64 * 1024;
    static constexpr std::uint64_t kMostPlanBytes = 16 * 1024 * 1024;

private:
    struct Request {
        const Call &call;
        const Target &target;
        std::uint64_t number;  ///< in the path, where it has one
        const Moment &moment;
    };
    using Handler = Outcome (Api::*)(const Request &);
    struct Entry {
        std::string_view method;
        std::string_view path;  ///< `*` stands for a number, `?` for a word
        Role role;
        Handler handler;
        std::span<const std::string_view> keys{};  ///< of the query
    };
    [[nodiscard]] static std::span<const Entry> entries();
    [[nodiscard]] Outcome run(const Entry &entry, const Request &request);

    Outcome healthz(const Request &request);
    Outcome readyz(const Request &request);
    Outcome metrics(const Request &request);
    Outcome state(const Request &request);
    Outcome session(const Request &request);
    Outcome history(const Request &request);
    Outcome events(const Request &request);
    Outcome config(const Request &request);
    Outcome links(const Request &request);
    Outcome link(const Request &request);
    Outcome storage(const Request &request);
    Outcome custody(const Request &request);
    Outcome status(const Request &request);
    Outcome link_up(const Request &request);
    Outcome link_down(const Request &request);
    Outcome add_link(const Request &request);
    Outcome change_link(const Request &request);
    Outcome remove_link(const Request &request);
    Outcome override_link(const Request &request);
    Outcome ping(const Request &request);
    Outcome show_plan(const Request &request);
    Outcome plan_history(const Request &request);
    Outcome replace_plan(const Request &request);
    Outcome change_plan(const Request &request);
    Outcome add_contacts(const Request &request);
    Outcome remove_contact(const Request &request);
    Outcome routes(const Request &request);
    Outcome explain(const Request &request);
    Outcome confirm_clock(const Request &request);
    Outcome drain(const Request &request);
    Outcome resume(const Request &request);
    Outcome stored_bundles(const Request &request);
    Outcome stored_bundle(const Request &request);
    Outcome stored_octets(const Request &request);
    Outcome delete_stored_bundle(const Request &request);
    Outcome delete_stored_bundles(const Request &request);
    Outcome verification(const Request &request);
    Outcome verify(const Request &request);
    Outcome cancel_verification(const Request &request);
    Outcome compaction(const Request &request);
    Outcome compact(const Request &request);
    Outcome cancel_compaction(const Request &request);
    Outcome holds(const Request &request);
    Outcome hold(const Request &request);
    Outcome release(const Request &request);
    Outcome log_levels(const Request &request);
    Outcome set_log_level(const Request &request);

    NodeView &view_;
    std::string config_;
};

}  // namespace farlink::telemetry
