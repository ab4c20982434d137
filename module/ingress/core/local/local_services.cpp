// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/local/local_services.hpp"

#include <algorithm>
#include <array>

#include "common/bp/parse.hpp"
#include "common/bp/v6/admin_record_codec.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v6/custody.hpp"
#include "common/bp/v6/primary.hpp"
#include "common/bp/v7/admin_record_codec.hpp"
#include "common/bp/v7/builder.hpp"

namespace farlink::ingress {
namespace {

constexpr std::uint64_t kAdminService = 0;
constexpr std::uint8_t kBpv7 = 7;
/// Of the records that this node sends. If a custody signal takes longer, its bundle is sent
/// again; after the bundle's lifetime the signal is useless and must take no space. The least
/// value allows for clocks that differ.
constexpr std::uint64_t kRecordLifetimeSeconds = 24 * 3600;
constexpr std::uint64_t kLeastRecordLifetimeSeconds = 60;

std::uint64_t record_lifetime_s(DtnTime needed_until, DtnTime now_ms) {
    const DtnTime left_ms = needed_until > now_ms ? needed_until - now_ms : 0;
    return std::clamp(left_ms / bp::v6::kMsPerSecond + 1, kLeastRecordLifetimeSeconds,
                      kRecordLifetimeSeconds);
}

bool is_about_custody(const bp::BundleView &view, ByteView payload) {
    if (view.version != bp::v6::kVersion || payload.empty()) return false;
    const unsigned type = payload[0] >> 4;
    return type == bp::v6::kCustodySignalRecord || type == bp::v6::kAggregateCustodySignalRecord;
}

bool understood(const bp::BundleView &view, ByteView payload) {
    if (payload.empty()) return false;
    if (view.version == kBpv7) {
        const auto type = bp::v7::admin_record_type(payload);
        return type && *type == bp::v7::kStatusReportRecord &&
               bp::v7::decode_status_report(payload).has_value();
    }
    return payload[0] >> 4 == bp::v6::kStatusReportRecord || is_about_custody(view, payload);
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

LocalServices::LocalServices(NodeNumber node, std::uint64_t echo_service,
                             const bp::v6::CustodySignalOptions &signals, Sequence sequence)
    : node_(node),
      echo_service_(echo_service),
      next_sequence_(sequence.first),
      sequence_step_(sequence.step),
      signals_(bp::Eid(node.value(), kAdminService), signals) {}

bool LocalServices::serves(const bp::BundleView &view) const {
    const std::uint64_t service = view.destination.service;
    return service == kAdminService || service == echo_service_ ||
           service == ping_service(echo_service_);
}

Delivery LocalServices::deliver(const bp::BundleView &view, ByteView bundle, DtnTime now_ms) {
    // No service gets a part of a data unit (RFC 9171 section 5.9).
    if (!serves(view) || view.is_fragment) return Delivery::kNoService;
    const bool admin = view.destination.service == kAdminService;
    const ByteView payload = bundle.subspan(view.payload_offset, view.payload_length);
    if (admin && (!view.is_admin_record || !understood(view, payload)))
        return Delivery::kAdminUnknown;
    if (!admin) return serve_once(view, bundle, now_ms);
    // Some nodes give all records of one second the same identity. Each is processed: a report is
    // only counted, and a repeated signal matches no bundle.
    if (is_about_custody(view, payload)) {
        const std::string source = bp::to_string(view.source);
        custody_records_.push_back(
            {{source.begin(), source.end()}, {payload.begin(), payload.end()}});
    }
    return Delivery::kDelivered;
}

void LocalServices::end_custody(const bp::BundleView &view, ByteView bundle, Delivery delivery,
                                DtnTime now_ms, TimePoint now) {
    using bp::v6::CustodyReason;
    if (!bp::v6::wants_custody(view)) return;
    const bool here = delivery == Delivery::kDelivered || delivery == Delivery::kDuplicate;
    const auto reason = here ? CustodyReason::kNone : CustodyReason::kEndpointUnintelligible;
    signals_.add(view, bundle.first(view.head_end), {here, reason}, now_ms, now);
    handle_timeout(now_ms, now);
}

void LocalServices::handle_timeout(DtnTime now_ms, TimePoint now) {
    while (const auto signal = signals_.poll(now))
        originate_record(signal->destination.view(), signal->record, signal->needed_until, now_ms);
}

void LocalServices::originate(const bus::OriginateRequest &request, DtnTime now_ms) {
    if (const auto destination = bp::Eid::parse(as_text(request.destination)))
        originate_record(destination->view(), request.record, request.needed_until, now_ms);
}

// With the highest priority: a custodian waits for it.
void LocalServices::originate_record(const bp::EidView &destination, ByteView record,
                                     DtnTime needed_until, DtnTime now_ms) {
    bp::v6::PrimaryFields primary;
    primary.flags = bp::v6::kSingletonDestination | bp::v6::kIsAdminRecord |
                    bp::v6::priority_flags(Priority::kExpedited);
    primary.destination = destination;
    primary.source = bp::ipn_eid(node_.value(), kAdminService);
    primary.creation_time_s = now_ms / bp::v6::kMsPerSecond;
    primary.sequence = next_sequence_;
    primary.lifetime_s = record_lifetime_s(needed_until, now_ms);
    bp::v6::Builder builder(primary);
    builder.add_block(bp::v6::kPayloadBlock, 0, record);
    originate(std::move(builder).finish());
}

Delivery LocalServices::serve_once(const bp::BundleView &view, ByteView bundle, DtnTime now_ms) {
    if (view.has_identity() && delivered_before(view.identity())) return Delivery::kDuplicate;
    serve(view, bundle, now_ms);
    return Delivery::kDelivered;
}

std::optional<bus::CustodyRecord> LocalServices::poll_custody_record() {
    if (custody_records_.empty()) return std::nullopt;
    return custody_records_.pop_front();
}

void LocalServices::serve(const bp::BundleView &view, ByteView octets, DtnTime now_ms) {
    if (view.destination.service != echo_service_) {
        const ByteView payload = octets.subspan(view.payload_offset, view.payload_length);
        return ping_answers_.push_back({payload.begin(), payload.end()});
    }
    // The source of an echo is the ping service, which never answers: an echo service with another
    // number would answer it for ever.
    if (view.source.service != echo_service_)
        originate(bp::make_echo_reply(view, {&octets, 1}, now_ms, next_sequence_,
                                      bp::ipn_eid(node_.value(), ping_service(echo_service_)),
                                      hop_limit_));
}

bool LocalServices::ping(const bus::PingRequest &request, ByteView payload, DtnTime now_ms) {
    const auto destination = bp::Eid::parse(as_text(request.destination));
    if (!destination) return false;
    const auto source = bp::ipn_eid(node_.value(), ping_service(echo_service_));
    const auto lifetime_ms = static_cast<std::uint64_t>(
        std::chrono::duration_cast<milliseconds>(request.lifetime).count());
    if (request.version == bp::v6::kVersion) {
        bp::v6::PrimaryFields primary;
        primary.flags = bp::v6::kSingletonDestination | bp::v6::priority_flags(Priority::kNormal);
        primary.destination = destination->view();
        primary.source = source;
        primary.creation_time_s = now_ms / bp::v6::kMsPerSecond;
        primary.sequence = next_sequence_;
        primary.lifetime_s = lifetime_ms / bp::v6::kMsPerSecond;
        bp::v6::Builder builder(primary);
        builder.add_block(bp::v6::kPayloadBlock, 0, payload);
        originate(std::move(builder).finish());
        return true;
    }
    if (request.version != kBpv7) return false;
    bp::v7::PrimaryFields primary;
    primary.destination = destination->view();
    primary.source = source;
    primary.creation_time_ms = now_ms;
    primary.sequence = next_sequence_;
    primary.lifetime_ms = lifetime_ms;
    bp::v7::Builder builder(primary);
    // RFC 9171 section 4.4.2: without a clock the bundle must have a bundle age block.
    if (now_ms == 0) builder.add_bundle_age(0);
    if (hop_limit_ > 0) builder.add_hop_count(hop_limit_);
    originate(std::move(builder).finish(payload));
    return true;
}

std::optional<Bytes> LocalServices::poll_ping_answer() {
    if (ping_answers_.empty()) return std::nullopt;
    return ping_answers_.pop_front();
}

void LocalServices::report(bus::ReportEvent event, bp::ReportReason reason, ByteView head,
                           std::uint64_t payload_length, DtnTime now_ms) {
    const auto subject = completed(head);
    if (!subject) return;
    const ByteView octets = *subject;
    auto view = bp::parse({&octets, 1});
    if (!view || !bp::can_report(*view) || !reports_.admit(view->report_to, now_ms)) return;
    view->payload_length = payload_length;
    const bp::EidView admin{bp::EidScheme::kIpn, node_.value(), kAdminService, {}};
    originate(
        bp::make_status_report(*view, event, reason, now_ms, next_sequence_, admin, hop_limit_));
}

void LocalServices::originate(std::optional<Bytes> bundle) {
    if (!bundle) return;
    next_sequence_ += sequence_step_;
    originated_.push_back(std::move(*bundle));
}

std::optional<Bytes> LocalServices::poll_originated() {
    if (originated_.empty()) return std::nullopt;
    return originated_.pop_front();
}

bool LocalServices::delivered_before(std::uint64_t identity) {
    if (!remembered_.insert(identity).second) return true;
    order_.push_back(identity);
    if (order_.size() > kRemembered) remembered_.erase(order_.pop_front());
    return false;
}

}  // namespace farlink::ingress
