// SPDX-License-Identifier: Apache-2.0
// The endpoints of this node: those of the configuration, and those that applications register.
// Owned by ApplicationsCore; one thread.
// Ingress and storage learn of each change; a dynamic endpoint ends with its last connection, or
// some time later if it was asked to stay.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/config/applications/applications_config.hpp"
#include "module/applications/core/endpoints/endpoint.hpp"
#include "module/applications/core/protocol/verdict.hpp"

namespace farlink::applications {

class EndpointRegistry {
public:
    explicit EndpointRegistry(const config::ApplicationsNode &config);

    struct Request {
        bp::EidView endpoint;
        std::string_view secret;
        std::string_view owner;  ///< the name of the application's identity
        bool receives = false;
        Duration stay{};
    };
    /// Registers the endpoint for a connection; on success `found` is the endpoint.
    [[nodiscard]] Verdict join(UpstreamId connection, const Request &request, Endpoint *&found);
    /// The connection is gone.
    void leave(UpstreamId connection, LinkId link, TimePoint now);

    /// Null when there is none.
    [[nodiscard]] Endpoint *find(LinkId link);
    /// `text`: an endpoint id.
    [[nodiscard]] bool has(std::string_view text) const {
        return by_text_.contains(std::string(text));
    }
    /// What has changed since the last call; for ingress and storage.
    [[nodiscard]] std::optional<bus::EndpointsChange> poll_change();
    /// All endpoints. `whole`: there are no others.
    [[nodiscard]] bus::EndpointsChange all(bool whole) const;
    template <class Visit>
    void for_each(Visit &&visit) {
        for (auto &[link, endpoint] : endpoints_) visit(endpoint);
    }

    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);

private:
    [[nodiscard]] Endpoint &add(const bp::EidView &eid, bool configured);
    [[nodiscard]] LinkId free_number();
    [[nodiscard]] bool has_room_for(std::string_view owner) const;
    void note(const Endpoint &endpoint);
    void remove(LinkId link);

    std::size_t most_dynamic_;
    std::size_t dynamic_ = 0;
    std::unordered_map<std::string, std::size_t> dynamic_of_;  ///< by owner
    std::uint32_t next_number_ = 0;                            ///< never used
    std::set<std::uint32_t> free_numbers_;                     ///< used before
    std::unordered_map<LinkId, Endpoint> endpoints_;
    std::unordered_map<std::string, LinkId> by_text_;
    std::vector<bus::EndpointEntry> changed_;
    std::set<std::pair<TimePoint, LinkId>> leaving_;  ///< without a connection: when each ends
};

}  // namespace farlink::applications
