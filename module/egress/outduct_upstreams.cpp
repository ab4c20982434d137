// SPDX-License-Identifier: Apache-2.0
#include "module/egress/outduct_upstreams.hpp"

#include <utility>
#include <vector>

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
    BatchPtr batch = begin_batch(session, received);
    auto transfer = static_cast<std::uint32_t>(received.first_transfer);
    std::uint64_t bytes = 0;
    for (const ReceivedBundle &arrived : received.bundles) {
        bytes += arrived.size;
        // A piece of a large bundle travels alone.
        if (arrived.is_piece() && !batch->bundles.empty())
            send_arrived(std::exchange(batch, begin_batch(session, received)));
        if (!arrived.breaks_off()) add(*batch, arrived, transfer);
        if (!arrived.more) ++transfer;
        if (!arrived.is_piece()) continue;
        const std::uint64_t left = arrived.more ? BundlePiece::kUnknown : 0;
        batch->piece = BundlePiece::of_session(arrived.is_further, left);
        send_arrived(std::exchange(batch, begin_batch(session, received)));
    }
    links_.count_received(link, received.completed(), bytes);
    if (batch->bundles.empty())
        batches_.recycle(std::move(batch));
    else
        send_arrived(std::move(batch));
}

BatchPtr OutductUpstreams::begin_batch(UpstreamId session, const ReceivedBundles &received) {
    BatchPtr batch = batches_.acquire();
    batch->upstream = session;
    batch->slices = received.slices;
    batch->slabs = received.slabs;
    return batch;
}

void OutductUpstreams::add(Batch &batch, const ReceivedBundle &arrived, std::uint32_t transfer) {
    BatchedBundle bundle;
    bundle.size = arrived.size;
    bundle.first_slice = arrived.first_slice;
    bundle.slice_count = arrived.slice_count;
    bundle.transfer = transfer;
    batch.bytes += bundle.size;
    batch.bundles.push_back(bundle);
}

void OutductUpstreams::send_arrived(BatchPtr batch) {
    calls_.send(bus::ArrivedBatch{std::move(batch)});
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
