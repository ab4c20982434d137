// SPDX-License-Identifier: Apache-2.0
// The HTTP API: the table of its paths and methods, and the answers to requests.
// Owned by the server; one thread.
// A request in, an answer or a command out; no sockets, no tokens. docs/api/openapi.yaml describes
// the paths.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "module/telemetry/api/request/request.hpp"

namespace farlink::telemetry {

class Api {
public:
    /// `view` is borrowed; `config` is the configuration without secrets, as JSON.
    Api(NodeView &view, std::string config) : view_(view), config_(std::move(config)) {}

    /// The configuration was reloaded.
    void set_config(std::string config) { config_ = std::move(config); }

    /// The Host and Origin of `call` have been checked.
    [[nodiscard]] Outcome handle(const Call &call, const Moment &moment);
    /// The answer made from the supervisor's reply to a command.
    [[nodiscard]] static Answer answer_of(const Command &command, std::string_view reply);
    /// The largest body of a request, in octets.
    [[nodiscard]] static std::uint64_t body_limit(std::string_view method, std::string_view target);

    /// The body is a payload, which may be larger than any limit of a body.
    [[nodiscard]] static bool takes_payload(std::string_view method, std::string_view target);
    /// A path by which applications send and receive.
    [[nodiscard]] static bool is_of_applications(std::string_view target);
    /// The path is that of a WebSocket: for both ways, or for watching.
    [[nodiscard]] static bool wants_websocket(std::string_view target);

    static constexpr std::string_view kBundlesPath = "/api/v1/bundles";
    static constexpr std::string_view kWatchPath = "/api/v1/bundles/watch";
    static constexpr std::uint64_t kMostBodyBytes = 64 * 1024;
    static constexpr std::uint64_t kMostPlanBytes = 16 * 1024 * 1024;

private:
    using Handler = Outcome (*)(const Request &);
    struct Entry {
        std::string_view method;
        std::string_view path;  ///< `*` stands for a number, `?` for a word
        Role role;
        Handler handler;
        std::span<const std::string_view> keys{};  ///< of the query
    };
    [[nodiscard]] static std::span<const Entry> entries();
    [[nodiscard]] static Outcome run(const Entry &entry, const Request &request);

    NodeView &view_;
    std::string config_;
};

}  // namespace farlink::telemetry
