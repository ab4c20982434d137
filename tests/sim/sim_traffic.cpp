// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/sim_traffic.hpp"

#include <algorithm>

#include "common/base/invariant.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v6/extended_class.hpp"
#include "common/bp/v7/builder.hpp"

namespace farlink::sim {
namespace {

constexpr std::size_t kNumberBytes = 8;
constexpr std::uint8_t kFiller = 0x5a;
constexpr std::uint8_t kPayloadBlock = 1;

template <class Sum>
std::uint64_t sum_of(const std::map<Flow, SimSink::Record> &records, Sum field) {
    std::uint64_t total = 0;
    for (const auto &[flow, record] : records) total += record.*field;
    return total;
}

}  // namespace

Bytes make_bundle(const Flow &flow, std::uint64_t number, std::uint64_t payload_bytes,
                  DtnTime created, std::uint64_t lifetime_s) {
    Bytes payload(std::max<std::uint64_t>(payload_bytes, kNumberBytes), kFiller);
    store_be(payload.data(), number);
    // Flows of one node must not share an identity (RFC 9171 section 4.2.7): each has its source.
    const bp::EidView source = bp::ipn_eid(flow.source, flow.destination * 1000 + flow.service);
    const bp::EidView destination = bp::ipn_eid(flow.destination, flow.service);
    const std::uint64_t sequence = flow.record ? 0 : number;
    if (flow.priority == Priority::kNormal && !flow.critical) {
        bp::v7::PrimaryFields primary;
        if (flow.record) primary.flags |= bp::v7::kIsAdminRecord;
        primary.source = source;
        primary.destination = destination;
        primary.creation_time_ms = created;
        primary.sequence = sequence;
        primary.lifetime_ms = lifetime_s * 1000;
        return bp::v7::Builder(primary).finish(payload);
    }
    bp::v6::PrimaryFields primary;
    primary.flags |= bp::v6::priority_flags(flow.priority);
    if (flow.record) primary.flags |= bp::v6::kIsAdminRecord;
    primary.source = source;
    primary.destination = destination;
    primary.creation_time_s = created / 1000;
    // Priorities of one source share its creation timestamps.
    primary.sequence = sequence * kPriorityCount + static_cast<std::uint64_t>(flow.priority);
    primary.lifetime_s = lifetime_s;
    bp::v6::Builder builder(primary);
    if (flow.critical)
        builder.add_block(bp::v6::kExtendedClassBlock, bp::v6::kReplicateBlock,
                          encode(bp::v6::ExtendedClass{.critical = true}));
    builder.add_block(kPayloadBlock, 0, payload);
    return std::move(builder).finish();
}

// ---- source

void SimSource::send(const Flow &flow, std::uint64_t count, std::uint64_t payload_bytes) {
    for (; count > 0; --count)
        waiting_.push_back(
            make_bundle(flow, made_[flow]++, payload_bytes, clock_.dtn_now(), lifetime_s_));
    flush();
}

void SimSource::send_paced(const Flow &flow, std::uint64_t count, std::uint64_t payload_bytes,
                           Duration interval) {
    if (count == 0) return;
    send(flow, 1, payload_bytes);
    clock_.after(interval, [this, flow, count, payload_bytes, interval] {
        send_paced(flow, count - 1, payload_bytes, interval);
    });
}

std::uint64_t SimSource::made(const Flow &flow) const {
    const auto found = made_.find(flow);
    return found == made_.end() ? 0 : found->second;
}

void SimSource::flush() {
    while (in_flight_ < waiting_.size() && link_->transmit_credit() > 0) {
        const Bytes &bundle = waiting_[in_flight_];
        const TxBundle tx{{}, bundle, {}, bundle.size(), first_token_ + in_flight_};
        ++in_flight_;
        link_->transmit({&tx, 1});
    }
}

void SimSource::on_connected(SimLink &) {
    flush();
}

void SimSource::on_disconnected(SimLink &) {
    in_flight_ = 0;
}

void SimSource::on_transmitted(SimLink &, std::uint64_t token) {
    for (; first_token_ < token; ++first_token_) {
        waiting_.pop_front();
        --in_flight_;
    }
    flush();
}

// A refused bundle goes to the end of the queue.
void SimSource::on_refused(SimLink &, std::uint64_t token) {
    ++refused_;
    waiting_.push_back(waiting_[token - first_token_]);
}

void SimSource::on_writable(SimLink &) {
    flush();
}

// ---- sink

void SimSink::on_readable(SimLink &link, UpstreamId session) {
    while (link.peek(session) != nullptr) check(link.take(session));
}

void SimSink::check(const Bytes &bundle) {
    const ByteView whole(bundle);
    const auto view = bp::parse({&whole, 1});
    if (view && view->is_fragment) {
        ++fragments_;
        const auto outcome = reassembler_.handle_fragment(*view, {&whole, 1}, clock_.dtn_now());
        if (outcome != traffic::Reassembler::Outcome::kComplete) return;
        const Bytes unit = *reassembler_.poll_data_unit();
        const bool intact = std::all_of(unit.begin() + kNumberBytes, unit.end(),
                                        [](std::uint8_t octet) { return octet == kFiller; });
        malformed_ += intact ? 0 : 1;
        return record(*view, load_be<std::uint64_t>(unit.data()));
    }
    if (!view || view->payload_length < kNumberBytes) {
        ++malformed_;
        return;
    }
    record(*view, load_be<std::uint64_t>(bundle.data() + view->payload_offset));
}

void SimSink::record(const bp::BundleView &view, std::uint64_t number) {
    const Flow flow{view.source.node, view.destination.node, view.destination.service,
                    view.priority,    view.critical,         view.is_admin_record};
    Record &record = records_[flow];
    if (record.seen.size() <= number) {
        record.seen.resize(number + 1);
        record.at.resize(number + 1);
    }
    if (record.seen[number]) {
        ++record.duplicates;
        return;
    }
    record.seen[number] = true;
    record.at[number] = clock_.now();
    ++record.arrived;
    if (number < record.next) ++record.out_of_order;
    record.next = std::max(record.next, number + 1);
}

std::uint64_t SimSink::arrived() const {
    return sum_of(records_, &Record::arrived);
}
std::uint64_t SimSink::duplicates() const {
    return sum_of(records_, &Record::duplicates);
}
std::uint64_t SimSink::out_of_order() const {
    return sum_of(records_, &Record::out_of_order);
}

}  // namespace farlink::sim
