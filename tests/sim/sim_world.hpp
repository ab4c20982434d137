// SPDX-License-Identifier: Apache-2.0
// The parts of a scenario: the clock, nodes, sources, sinks and the links between them.
// Owned by a test; one thread. One seed decides all random choices.
// Declare the whole world first, then start(); the same seed gives the same run.
#pragma once

#include <memory>
#include <vector>

#include "tests/sim/sim_node.hpp"
#include "tests/sim/sim_traffic.hpp"

namespace farlink::sim {

class SimWorld {
public:
    explicit SimWorld(std::uint64_t seed) : random_(seed) {}

    SimNode &add_node(NodeOptions options) {
        options.seed = random_.next();
        return *nodes_.emplace_back(std::make_unique<SimNode>(clock, options));
    }
    SimSink &add_sink() { return *sinks_.emplace_back(std::make_unique<SimSink>(clock)); }

    /// A source that feeds `node` by a link of its own, which is opened by start().
    SimSource &add_source(SimNode &node, const LinkOptions &options = {}) {
        SimSource &source = *sources_.emplace_back(std::make_unique<SimSource>(clock));
        SimLink &link = add_link(source, node, options);
        source.attach(link);
        source_links_.push_back(&link);
        return source;
    }
    /// An outduct of `from`; `number` is the neighbour at its other end.
    SimLink &connect(SimNode &from, LinkReceiver &to, NodeNumber number,
                     const LinkOptions &options = {}) {
        SimLink &link = add_link(from, to, options);
        from.add_outduct(number, link);
        return link;
    }
    SimLink &connect(SimNode &from, SimNode &to, const LinkOptions &options = {}) {
        return connect(from, to, to.number(), options);
    }

    /// A link from an end of its own to `to`, which is opened by start().
    SimLink &attach(LinkSender &from, SimNode &to, const LinkOptions &options = {}) {
        return *source_links_.emplace_back(&add_link(from, to, options));
    }

    void start() {
        for (const auto &node : nodes_) node->start();
        for (SimLink *link : source_links_) link->open();
    }
    /// Runs until all nodes are quiet, with a check every 100 ms; false at `limit`.
    [[nodiscard]] bool run_until_quiet(Duration limit) {
        for (const TimePoint end = clock.now() + limit; clock.now() < end;) {
            clock.run_for(milliseconds(100));
            if (quiet()) return true;
        }
        return false;
    }
    [[nodiscard]] bool quiet() const {
        for (const auto &source : sources_)
            if (source->waiting() > 0) return false;
        for (const auto &node : nodes_)
            if (node->running() && !node->quiet()) return false;
        return true;
    }
    [[nodiscard]] const std::vector<std::unique_ptr<SimNode>> &nodes() const { return nodes_; }

    SimClock clock;

private:
    SimLink &add_link(LinkSender &from, LinkReceiver &to, const LinkOptions &options) {
        return *links_.emplace_back(std::make_unique<SimLink>(clock, random_, from, to, options));
    }

    Random random_;
    std::vector<std::unique_ptr<SimLink>> links_;
    std::vector<std::unique_ptr<SimSink>> sinks_;
    std::vector<std::unique_ptr<SimSource>> sources_;
    std::vector<SimLink *> source_links_;
    std::vector<std::unique_ptr<SimNode>> nodes_;
};

}  // namespace farlink::sim
