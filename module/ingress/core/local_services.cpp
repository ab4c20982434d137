// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/local_services.hpp"

#include <array>

#include "common/bp/v6/admin_record.hpp"
#include "common/bp/v6/primary.hpp"
#include "common/bp/v7/status_report.hpp"

namespace farlink::ingress {
namespace {

constexpr std::uint64_t kAdminService = 0;

bool understood(const bp::BundleView &view, ByteView payload) {
    if (payload.empty()) return false;
    if (view.version == 7) {
        const auto type = bp::v7::admin_record_type(payload);
        return type && *type == bp::v7::kStatusReportRecord &&
               bp::v7::decode_status_report(payload).has_value();
    }
    const unsigned type = payload[0] >> 4;
    return type == bp::v6::kStatusReportRecord || type == bp::v6::kCustodySignalRecord ||
           type == bp::v6::kAggregateCustodySignalRecord;
}

/// A report is about the head of a bundle; an empty payload block makes it parse as a bundle.
std::optional<Bytes> completed(ByteView head) {
    constexpr std::array<std::uint8_t, 7> kEmptyPayloadV7{0x85, 1, 1, 0, 0, 0x40, 0xff};
    constexpr std::array<std::uint8_t, 3> kEmptyPayloadV6{1, 0x08, 0};
    if (head.empty()) return std::nullopt;
    Bytes bundle(head.begin(), head.end());
    if (head[0] == bp::v6::kVersion)
        append(bundle, kEmptyPayloadV6);
    else
        append(bundle, kEmptyPayloadV7);
    return bundle;
}

}  // namespace

LocalServices::LocalServices(NodeNumber node, std::uint64_t echo_service)
    : node_(node),
      echo_service_(echo_service),
      reassembler_({kReassemblyBytes, kReassemblyUnits}) {}

Delivery LocalServices::deliver(const bp::BundleView &view, ByteView bundle, DtnTime now_ms) {
    const bool admin = view.destination.service == kAdminService;
    if (!admin && view.destination.service != echo_service_) return Delivery::kNoService;
    const ByteView payload = bundle.subspan(view.payload_offset, view.payload_length);
    if (admin && (!view.is_admin_record || !understood(view, payload)))
        return Delivery::kAdminUnknown;
    if (delivered_before(view.identity())) return Delivery::kDuplicate;
    const Delivery delivery = admin ? Delivery::kDelivered : echo(view, bundle, now_ms);
    if (delivery == Delivery::kNoService) forget_last();  // it may come again
    return delivery;
}

Delivery LocalServices::echo(const bp::BundleView &view, ByteView bundle, DtnTime now_ms) {
    // Two echo services would answer each other for ever.
    if (view.source.service == echo_service_) return Delivery::kDelivered;
    if (!view.is_fragment) {
        originate(bp::make_echo_reply(view, {&bundle, 1}, now_ms, next_sequence_));
        return Delivery::kDelivered;
    }
    // RFC 9171 section 5.9: the service gets the whole application data unit.
    reassembler_.expire(now_ms);
    const auto outcome = reassembler_.handle_fragment(view, {&bundle, 1}, now_ms);
    if (outcome == bp::Reassembler::Outcome::kDuplicate) return Delivery::kDuplicate;
    if (outcome == bp::Reassembler::Outcome::kContradiction ||
        outcome == bp::Reassembler::Outcome::kNoSpace)
        return Delivery::kNoService;
    if (const auto whole = reassembler_.poll_data_unit()) {
        bp::BundleView joined = view;
        joined.is_fragment = false;
        joined.payload_offset = 0;
        joined.payload_length = whole->size();
        const ByteView octets = *whole;
        originate(bp::make_echo_reply(joined, {&octets, 1}, now_ms, next_sequence_));
    }
    return Delivery::kDelivered;
}

void LocalServices::report(bus::ReportEvent event, bp::ReportReason reason, ByteView head,
                           std::uint64_t payload_length, DtnTime now_ms) {
    const auto subject = completed(head);
    if (!subject) return;
    const ByteView octets = *subject;
    auto view = bp::parse({&octets, 1});
    if (!view || !bp::can_report(*view)) return;
    view->payload_length = payload_length;
    const bp::EidView admin{bp::EidScheme::kIpn, node_.value(), kAdminService, {}};
    originate(bp::make_status_report(*view, event, reason, now_ms, next_sequence_, admin));
}

void LocalServices::originate(std::optional<Bytes> bundle) {
    if (!bundle) return;
    ++next_sequence_;
    originated_.push_back(std::move(*bundle));
}

std::optional<Bytes> LocalServices::poll_originated() {
    if (originated_.empty()) return std::nullopt;
    return originated_.pop_front();
}

void LocalServices::forget_last() {
    remembered_.erase(order_.pop_back());
}

bool LocalServices::delivered_before(std::uint64_t identity) {
    if (!remembered_.insert(identity).second) return true;
    order_.push_back(identity);
    if (order_.size() > kRemembered) remembered_.erase(order_.pop_front());
    return false;
}

}  // namespace farlink::ingress
