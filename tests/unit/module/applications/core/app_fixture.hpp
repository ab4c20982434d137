// SPDX-License-Identifier: Apache-2.0
// A core of applications with clients of a test: octets go in and come out without sockets.
// Owned by a test, which is ingress and storage.
// One thread.
#pragma once

#include <gtest/gtest.h>

#include <deque>

#include "module/applications/core/applications_core.hpp"
#include "tests/support/aap2_messages.hpp"
#include "tests/support/test_batch.hpp"

namespace farlink::applications {

inline config::ApplicationsNode app_config() {
    config::ApplicationsNode config;
    config.node = NodeNumber{10};
    config.echo_service = 2047;
    config.applications.socket = "socket";
    config.applications.first_dynamic_service = 100;
    config.applications.last_dynamic_service = 5000;
    config.applications.largest_adu_bytes = 1'000'000;
    config.applications.default_lifetime_seconds = 3600;
    config.applications.accept_within_seconds = 300;
    config.applications.max_connections = 64;
    config.applications.max_endpoints = 16;
    config.applications.endpoints.push_back({"ipn:10.142"});
    return config;
}

using test::adu_message;
using test::answer;
using test::config_message;
using test::delimited;

class AppFixture : public testing::Test {
protected:
    explicit AppFixture(config::ApplicationsNode node = app_config()) : config(std::move(node)) {
        forget_messages();
    }
    ~AppFixture() override {
        while (!open_.empty()) close(*open_.front());
        forget_returned();
        for (BatchPtr &batch : arrived) core.handle(bus::BatchOutcome{std::move(batch)}, now);
        buffer.rest();
    }

    AppSession &connect() {
        AppSession *session = core.open({.loopback = false, .user = 1, .groups = {7}}, now);
        open_.push_back(session);
        EXPECT_EQ(written(*session)[0], kAap2Greeting);
        return *session;
    }
    void close(AppSession &session) {
        std::erase(open_, &session);
        core.close(session, now);
        pump();
    }
    void feed(AppSession &session, ByteView octets, std::size_t piece = ~std::size_t{0}) {
        while (!octets.empty() && !session.ended()) {
            const MutableBytes space = session.prepare(buffer);
            ASSERT_FALSE(space.empty());
            const std::size_t size = std::min({space.size(), octets.size(), piece});
            std::ranges::copy(octets.first(size), space.begin());
            octets = octets.subspan(size);
            core.handle_bytes(session, size, buffer, now);
        }
        pump();
    }
    /// What the session has to write; all of it is.
    Bytes written(AppSession &session) {
        Bytes octets;
        while (session.queue().pending() > 0) {
            iovec piece;
            (void)session.queue().gather({&piece, 1}, 1 << 20);
            append(octets, {static_cast<const std::uint8_t *>(piece.iov_base), piece.iov_len});
            session.queue().written(piece.iov_len);
            core.handle_written(session, now);
        }
        pump();
        return octets;
    }
    std::optional<Response> response(AppSession &session) {
        const Bytes octets = written(session);
        if (octets.empty()) return std::nullopt;
        const auto found = decode_response(ByteView(octets).subspan(1, octets[0]));
        if (!found) return std::nullopt;
        return Response{found->status, found->count, {}};
    }
    AppSession &join(std::string_view endpoint, bool receives, std::uint64_t window = 0) {
        AppSession &session = connect();
        feed(session, config_message(endpoint, receives, "s", window));
        const auto found = response(session);
        EXPECT_TRUE(found && found->status == ResponseStatus::kSuccess);
        return session;
    }
    /// The payload of the one ADU that the session has to write; empty: there is none.
    std::string received(AppSession &session) {
        const Bytes octets = written(session);
        if (octets.empty()) return {};
        const VarintRead length = read_varint(octets);
        return std::string(as_text(ByteView(octets).subspan(length.size + length.value)));
    }

    void pump() {
        while (auto outgoing = core.poll_message()) take(std::move(*outgoing));
    }
    void take(bus::Outgoing outgoing) {
        if (auto *batch = std::get_if<bus::ArrivedBatch>(&outgoing.message))
            arrived.push_back(std::move(batch->batch));
        else if (auto *back = std::get_if<bus::BatchOutcome>(&outgoing.message))
            returned.push_back(std::move(back->batch));
        else
            messages.push_back(std::move(outgoing));
    }
    void forget_messages() {
        pump();
        messages.clear();
    }
    template <class Data>
    std::optional<Data> last(bus::AgentId to) {
        for (auto at = messages.rbegin(); at != messages.rend(); ++at)
            if (at->to == to)
                if (const auto *data = std::get_if<Data>(&at->message)) return *data;
        return std::nullopt;
    }
    LinkId link_of(std::string_view endpoint) {
        LinkId found = kNoLink;
        core.endpoints().for_each([&](const Endpoint &each) {
            if (each.text == endpoint) found = each.link;
        });
        return found;
    }
    void deliver(std::string_view endpoint, const std::vector<Bytes> &bundles,
                 BatchOwner owner = BatchOwner::kStorage) {
        BatchPtr batch = maker.make(owner, link_of(endpoint), bundles);
        if (owner == BatchOwner::kStorage)
            core.handle(bus::ReleaseBatch{std::move(batch)}, now);
        else
            core.handle(bus::ForwardBatch{std::move(batch)}, now);
        pump();
    }
    static test::TestBundle made(std::uint64_t sequence, std::uint64_t service = 142) {
        test::TestBundle bundle;
        bundle.to = bp::ipn_eid(10, service);
        bundle.sequence = sequence;
        return bundle;
    }
    static Bytes bundle(std::uint64_t sequence) { return made(sequence).octets(); }
    void forget_returned() { returned.clear(); }
    std::uint64_t count(ApplicationsCounter counter) { return core.counters().value(counter); }

    config::ApplicationsNode config;
    TimePoint now = test::at_ms(1000);
    SlabPool pool{64 * 1024, 8 * 1024 * 1024};
    ReadBuffer buffer{pool};
    test::BatchMaker maker;
    ApplicationsCore core{config, {{}, 1, 7}, pool, test::kClock, 5, SipKey{}, test::at_ms(0)};
    std::deque<BatchPtr> arrived;   ///< at ingress
    std::deque<BatchPtr> returned;  ///< to their owners
    std::vector<bus::Outgoing> messages;

private:
    std::deque<AppSession *> open_;
};

}  // namespace farlink::applications
