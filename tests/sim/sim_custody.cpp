// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/sim_custody.hpp"

#include "common/bp/parse.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v6/primary.hpp"
#include "tests/support/custody_bundle.hpp"

namespace farlink::sim {

// ---- both

void CustodyEnd::on_readable(SimLink &link, UpstreamId session) {
    const std::uint64_t first = link.next_transfer(session);
    std::uint32_t count = 0;
    for (; link.peek(session) != nullptr; ++count) receive(link.take(session));
    if (link.acknowledges()) link.acknowledge(session, first, count, TransferDisposition::kSafe);
}

void CustodyEnd::send(Bytes bundle) {
    waiting_.push_back(std::move(bundle));
    flush();
}

void CustodyEnd::flush() {
    for (; !waiting_.empty() && out_->transmit_credit() > 0; waiting_.pop_front()) {
        const TxBundle tx{{}, waiting_.front(), {}, waiting_.front().size(), 0};
        out_->transmit({&tx, 1});
    }
}

void CustodyEnd::send_record(const bp::Eid &to, const Bytes &record) {
    bp::v6::PrimaryFields primary;
    primary.flags = bp::v6::kSingletonDestination | bp::v6::kIsAdminRecord;
    primary.destination = to.view();
    primary.source = bp::ipn_eid(node_, 0);
    primary.creation_time_s = clock_.dtn_now() / bp::v6::kMsPerSecond;
    primary.sequence = records_ += records_step_;
    primary.lifetime_s = 3600;
    bp::v6::Builder builder(primary);
    builder.add_block(bp::v6::kPayloadBlock, 0, record);
    send(std::move(builder).finish());
}

// ---- source

void CustodySource::send_paced(std::uint64_t to, std::uint64_t count, std::uint64_t payload_bytes,
                               Duration interval) {
    if (count == 0) return;
    test::CustodyBundle bundle;
    bundle.to = bp::ipn_eid(to, 1);
    bundle.from = bp::ipn_eid(node_, 1);
    bundle.custodian = bp::ipn_eid(node_, 0);
    bundle.sequence = made_++;
    if (ids_) bundle.custody_id = bundle.sequence;
    bundle.created_s = SimClock::kStartDtn / bp::v6::kMsPerSecond;
    bundle.lifetime_s = 7 * 24 * 3600;
    bundle.payload_bytes = payload_bytes;
    bundle.critical = critical_;
    held_[bundle.sequence] = bundle.octets();
    transmit(bundle.sequence);
    clock_.after(interval, [this, to, count, payload_bytes, interval] {
        send_paced(to, count - 1, payload_bytes, interval);
    });
}

void CustodySource::transmit(std::uint64_t number) {
    const auto found = held_.find(number);
    if (found == held_.end()) return;
    send(found->second);
    clock_.after(patience_, [this, number] { transmit(number); });
}

void CustodySource::receive(const Bytes &bundle) {
    const ByteView octets = bundle;
    const auto view = bp::parse({&octets, 1});
    if (!view || !view->is_admin_record) return;
    const ByteView record = octets.subspan(view->payload_offset, view->payload_length);
    constexpr std::uint8_t kHasIt = 3;
    if (const auto many = bp::v6::decode_aggregate_custody_signal(record)) {
        if (!many->succeeded && many->reason != kHasIt) return;
        for (const bp::v6::CustodyRange &range : many->ranges)
            held_.erase(held_.lower_bound(range.first), held_.upper_bound(range.last));
    } else if (const auto one = bp::v6::decode_custody_signal(record)) {
        if (one->succeeded || one->reason == kHasIt) held_.erase(one->subject.sequence);
    }
}

// ---- sink

void CustodySink::receive(const Bytes &bundle) {
    const ByteView octets = bundle;
    const auto view = bp::parse({&octets, 1});
    FARLINK_INVARIANT(view.has_value());
    if (!seen_.insert(view->sequence).second) ++repeats_;
    // A repeated bundle shows that the custody signal was lost.
    signals_.add(*view, octets.first(view->head_end), {}, clock_.dtn_now(), clock_.now());
    answer();
    clock_.after(period_, [this] { answer(); });
}

void CustodySink::answer() {
    while (const auto signal = signals_.poll(clock_.now()))
        send_record(signal->destination, signal->record);
}

}  // namespace farlink::sim
