// SPDX-License-Identifier: Apache-2.0
// A link as its host owns it, where handlers in the loop hold the link as well: forwards each call,
// and abandons the link when it goes.
// Owned by the agent; the loop's thread.
// A host may destroy it at any time except inside of one of the link's own reports.
#pragma once

#include <string>
#include <utility>

#include "cla/api/link.hpp"
#include "cla/io/link_body.hpp"

namespace farlink::cla {

/// What inducts and outducts have in common. `Link` is the interface, `Body` implements it.
template <class Link, class Body>
class LinkHandle : public Link {
public:
    void close() override { body_->close(); }
    void pause(UpstreamId upstream, bool paused) override { body_->pause(upstream, paused); }
    [[nodiscard]] bool flow_controlled() const override { return body_->flow_controlled(); }
    void acknowledge(UpstreamId upstream, std::uint64_t first, std::uint32_t count,
                     TransferDisposition disposition) override {
        body_->acknowledge(upstream, first, count, disposition);
    }
    void flush_acknowledgements() override { body_->flush_acknowledgements(); }
    void report_counts() override { body_->report_counts(); }

protected:
    explicit LinkHandle(Owned<Body> body) : body_(std::move(body)) {}
    [[nodiscard]] Body &body() { return *body_; }
    [[nodiscard]] const Body &body() const { return *body_; }

private:
    Owned<Body> body_;
};

template <class Body>
class InductHandle final : public LinkHandle<Induct, Body> {
public:
    template <class... Arguments>
    explicit InductHandle(Arguments &&...arguments)
        : LinkHandle<Induct, Body>(make_owned<Body>(std::forward<Arguments>(arguments)...)) {}

    [[nodiscard]] bool open() override { return this->body().open(); }
    void finish() override { this->body().finish(); }
    void give_up() override { this->body().give_up(); }
    void set_receiving(bool receiving) override { this->body().set_receiving(receiving); }
    [[nodiscard]] bool listens() const override { return this->body().listens(); }
    [[nodiscard]] Outduct *attach(UpstreamId upstream, LinkId link) override {
        return this->body().attach(upstream, link);
    }
    [[nodiscard]] bool set_neighbours(const config::InductConfig &config) override {
        return this->body().set_neighbours(config);
    }
    [[nodiscard]] std::string failure() const override { return this->body().failure(); }
    [[nodiscard]] std::uint16_t port() const override { return this->body().port(); }
};

template <class Body>
class OutductHandle final : public LinkHandle<Outduct, Body> {
public:
    template <class... Arguments>
    explicit OutductHandle(Arguments &&...arguments)
        : LinkHandle<Outduct, Body>(make_owned<Body>(std::forward<Arguments>(arguments)...)) {}

    void open() override { this->body().open(); }
    void suspend() override { this->body().suspend(); }
    [[nodiscard]] std::uint64_t transmit_credit() const override {
        return this->body().transmit_credit();
    }
    void transmit(std::span<const TxBundle> bundles) override { this->body().transmit(bundles); }
    void flush() override { this->body().flush(); }
    [[nodiscard]] std::uint64_t max_bundle_bytes() const override {
        return this->body().max_bundle_bytes();
    }
    [[nodiscard]] bool takes_pieces() const override { return this->body().takes_pieces(); }
    void break_off() override { this->body().break_off(); }
    void set_rate(BitRate rate) override { this->body().set_rate(rate); }
    void set_owlt(Duration owlt) override { this->body().set_owlt(owlt); }
};

}  // namespace farlink::cla
