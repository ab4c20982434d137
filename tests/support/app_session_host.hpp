// SPDX-License-Identifier: Apache-2.0
// A session of an application without the rest of its module: endpoints and policy are real, what
// it sends stays here.
// Owned by a test; octets go in and come out without sockets.
// One thread.
#pragma once

#include <sys/uio.h>

#include <optional>
#include <utility>
#include <vector>

#include "common/base/invariant.hpp"
#include "common/bp/parse.hpp"
#include "common/config/applications/applications_fields.hpp"
#include "module/applications/core/endpoints/endpoint_registry.hpp"
#include "module/applications/core/sending/submissions.hpp"
#include "module/applications/core/session/app_session.hpp"
#include "tests/support/octets.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::test {

/// Node 10, whose own group may register the services 1 to 5000.
inline config::ApplicationsNode applications_node() {
    config::ApplicationsNode node;
    node.node = NodeNumber{10};
    node.echo_service = 2047;
    node.applications.first_dynamic_service = 1;
    node.applications.last_dynamic_service = 5000;
    node.applications.largest_adu_bytes = 200'000;
    node.applications.default_lifetime_seconds = 3600;
    node.applications.max_endpoints = 4;
    return node;
}

class AppSessionHost final : private applications::SessionHost {
public:
    explicit AppSessionHost(TimePoint start) : now(start) {}
    ~AppSessionHost() { buffer_.rest(); }
    AppSessionHost(const AppSessionHost &) = delete;
    AppSessionHost &operator=(const AppSessionHost &) = delete;
    AppSessionHost(AppSessionHost &&) = delete;
    AppSessionHost &operator=(AppSessionHost &&) = delete;

    /// Reads the octets, so many at a time, until the session has ended.
    void feed(ByteView octets, std::size_t piece = ~std::size_t{0}) {
        while (!octets.empty() && !session.ended()) {
            const MutableBytes space = session.prepare(buffer_);
            FARLINK_INVARIANT(!space.empty());
            const std::size_t size = std::min({space.size(), octets.size(), piece});
            std::ranges::copy(octets.first(size), space.begin());
            octets = octets.subspan(size);
            session.handle_bytes(size, buffer_, now);
            FARLINK_INVARIANT(session.adu().compact(pool_));
            take_bundles();
        }
    }
    /// What the session has to write; all of it is.
    Bytes written() {
        Bytes octets;
        while (session.queue().pending() > 0) {
            iovec piece{};
            (void)session.queue().gather({&piece, 1}, 1 << 20);
            append(octets, {static_cast<const std::uint8_t *>(piece.iov_base), piece.iov_len});
            session.queue().written(piece.iov_len);
        }
        return octets;
    }

    TimePoint now;
    std::vector<Bytes> bundles;           ///< that it has sent
    std::vector<std::uint64_t> accepted;  ///< identities of what it has received

private:
    applications::Verdict configure(applications::AppSession &of,
                                    const applications::ConnectionConfig &config,
                                    TimePoint) override {
        const auto eid = config::endpoint_of(config.endpoint, node_.node);
        if (!eid || !of.grant()->may_register(eid->view()))
            return {applications::ResponseStatus::kUnauthorized, "not allowed"};
        applications::Endpoint *endpoint = nullptr;
        const applications::Verdict verdict = endpoints_.join(
            of.id(), {eid->view(), config.secret, "uid 1", config.subscribes, {}}, endpoint);
        if (verdict.good()) of.set_endpoint(endpoint->link);
        return verdict;
    }
    applications::Verdict admit(const applications::AppSession &of,
                                const applications::BundleAdu &adu, applications::AduFields &fields,
                                TimePoint at) override {
        const applications::Endpoint *own = endpoints_.find(of.endpoint());
        FARLINK_INVARIANT(own != nullptr);
        return submissions_.admit(*of.grant(), own->eid.view(), adu, fields, at);
    }
    void handle_accepted(applications::AppSession &, const applications::LeasedAdu &adu,
                         TimePoint) override {
        accepted.push_back(adu.key);
    }
    void take_bundles() {
        auto &[received, asked] = session.made();
        FARLINK_INVARIANT(received.bundles.size() == asked.size());
        for (const ReceivedBundle &bundle : received.bundles) {
            const auto slices = received.slices_of(bundle);
            FARLINK_INVARIANT(bp::parse(slices).has_value());
            bundles.push_back(joined(slices));
        }
        received.clear();
        asked.clear();
    }

    const config::ApplicationsNode node_ = applications_node();
    const applications::AccessTable access_{node_, {{}, 1, 1}};
    const ClockGuard clock_{kClock};
    SlabPool pool_{16 * 1024, 4 * 1024 * 1024};
    ReadBuffer buffer_{pool_};
    applications::HeadMemory memory_{pool_};
    applications::EndpointRegistry endpoints_{node_};
    applications::Submissions submissions_{node_, clock_, 5};

public:
    applications::AppSession session{
        UpstreamId{1},
        {.loopback = false, .user = 1, .groups = {}},
        access_.find({.loopback = false, .user = 1, .groups = {}}),
        *this,
        memory_,
        {.handshake = seconds(10), .accept_within = seconds(300), .stall = seconds(60)},
        "ipn:10.0",
        now};
};

}  // namespace farlink::test
