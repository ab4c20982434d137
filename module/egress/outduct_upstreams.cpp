// SPDX-License-Identifier: Apache-2.0
#include "module/egress/outduct_upstreams.hpp"

#include <utility>
#include <vector>

#include "common/buffer/arrived_batches.hpp"

namespace farlink::egress {

void OutductUpstreams::handle_opened(LinkId link, UpstreamId session, bool acknowledges) {
    upstreams_[session] = {link, acknowledges, {}};
    calls_.send(bus::UpstreamChange{session, link, true, acknowledges, 0});
}

void OutductUpstreams::handle_closed(LinkId link, UpstreamId session) {
    upstreams_.erase(session);
    calls_.send(bus::UpstreamChange{session, link, false, false, 0});
}

void OutductUpstreams::handle_bundles(LinkId link, UpstreamId session,
                                      const ReceivedBundles &received) {
    if (ingress_elsewhere_) {
        if (Upstream &upstream = upstreams_[session]; upstream.acknowledges) {
            upstream.unacknowledged.arrived(received.completed());
            if (ingress_lost_) return refuse_unacknowledged(session, upstream);
        }
    }
    std::uint64_t bytes = 0;
    for (const ReceivedBundle &arrived : received.bundles) bytes += arrived.size;
    make_arrived_batches(
        received, [&] { return begin_batch(session, received); },
        [](std::size_t, BatchedBundle &) {},
        [this](BatchPtr batch) { calls_.send(bus::ArrivedBatch{std::move(batch)}); },
        [this](BatchPtr batch) { batches_.recycle(std::move(batch)); });
    links_.count_received(link, received.completed(), bytes);
}

BatchPtr OutductUpstreams::begin_batch(UpstreamId session, const ReceivedBundles &received) {
    BatchPtr batch = batches_.acquire();
    batch->upstream = session;
    batch->slices = received.slices;
    batch->slabs = received.slabs;
    return batch;
}

void OutductUpstreams::handle(const bus::UpstreamPause &pause) {
    if (cla::Outduct *outduct = outduct_of(pause.upstream); outduct != nullptr)
        outduct->pause(pause.upstream, pause.paused);
}

void OutductUpstreams::handle(const bus::TransferDispositions &dispositions) {
    std::vector<cla::Outduct *> touched;
    for (const bus::DispositionRun &run : dispositions.runs) {
        cla::Outduct *outduct = outduct_of(run.upstream);
        if (outduct == nullptr) continue;
        Upstream &upstream = upstreams_[run.upstream];
        if (ingress_elsewhere_) upstream.unacknowledged.acknowledged(run.first, run.count);
        if (run.disposition != TransferDisposition::kSafe)
            links_.count_refused(upstream.link, run.count);
        outduct->acknowledge(run.upstream, run.first, run.count, run.disposition);
        if (touched.empty() || touched.back() != outduct) touched.push_back(outduct);
    }
    for (cla::Outduct *outduct : touched) outduct->flush_acknowledgements();
}

void OutductUpstreams::handle_ingress_lost() {
    ingress_lost_ = true;
    for (auto &[session, upstream] : upstreams_) {
        refuse_unacknowledged(session, upstream);
        if (cla::Outduct *outduct = outduct_of(session); outduct != nullptr)
            outduct->pause(session, false);
    }
}

void OutductUpstreams::refuse_unacknowledged(UpstreamId session, Upstream &upstream) {
    cla::Outduct *outduct = outduct_of(session);
    upstream.unacknowledged.take_all([&](std::uint64_t number) {
        if (outduct != nullptr)
            outduct->acknowledge(session, number, 1, TransferDisposition::kNoResources);
    });
    if (outduct != nullptr) outduct->flush_acknowledgements();
}

void OutductUpstreams::announce_all() {
    ingress_lost_ = false;
    for (const auto &[session, upstream] : upstreams_)
        calls_.send(bus::UpstreamChange{session, upstream.link, true, upstream.acknowledges,
                                        upstream.unacknowledged.next()});
}

cla::Outduct *OutductUpstreams::outduct_of(UpstreamId session) const {
    const auto found = upstreams_.find(session);
    return found == upstreams_.end() ? nullptr : calls_.outduct_of(found->second.link);
}

}  // namespace farlink::egress
