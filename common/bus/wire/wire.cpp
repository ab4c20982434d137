// SPDX-License-Identifier: Apache-2.0
#include "common/bus/wire/wire.hpp"

#include <algorithm>
#include <utility>

#include "common/buffer/batch_part.hpp"
#include "common/bus/wire/wire_batch.hpp"
#include "common/bus/wire/wire_fields.hpp"

namespace farlink::bus {
namespace {

constexpr std::uint8_t kMagic[2] = {'F', 'L'};

/// The type octet of each message. A number is never reused for another message.
template <class M>
constexpr std::uint8_t kType = 0;
template <>
constexpr std::uint8_t kType<ForwardBatch> = 1;
template <>
constexpr std::uint8_t kType<StoreBatch> = 2;
template <>
constexpr std::uint8_t kType<ReleaseBatch> = 3;
template <>
constexpr std::uint8_t kType<BatchOutcome> = 4;
template <>
constexpr std::uint8_t kType<ContactStart> = 5;
template <>
constexpr std::uint8_t kType<ContactEnd> = 6;
template <>
constexpr std::uint8_t kType<LinkUp> = 7;
template <>
constexpr std::uint8_t kType<LinkDown> = 8;
template <>
constexpr std::uint8_t kType<LinkSnapshot> = 9;
template <>
constexpr std::uint8_t kType<ContactsUpdate> = 10;
template <>
constexpr std::uint8_t kType<RouteUpdate> = 11;
template <>
constexpr std::uint8_t kType<LinkStatus> = 12;
template <>
constexpr std::uint8_t kType<SnapshotRequest> = 13;
template <>
constexpr std::uint8_t kType<Backlog> = 14;
template <>
constexpr std::uint8_t kType<StorageReady> = 15;
template <>
constexpr std::uint8_t kType<ReportRequest> = 16;
template <>
constexpr std::uint8_t kType<CounterReport> = 17;
template <>
constexpr std::uint8_t kType<ModuleReady> = 18;
template <>
constexpr std::uint8_t kType<Stop> = 19;
template <>
constexpr std::uint8_t kType<ArrivedBatch> = 20;
template <>
constexpr std::uint8_t kType<TransmitBatch> = 21;
template <>
constexpr std::uint8_t kType<SessionChange> = 22;
template <>
constexpr std::uint8_t kType<UpstreamChange> = 23;
template <>
constexpr std::uint8_t kType<UpstreamPause> = 24;
template <>
constexpr std::uint8_t kType<TransferDispositions> = 25;
template <>
constexpr std::uint8_t kType<CopyOutcomes> = 26;
template <>
constexpr std::uint8_t kType<LinkChange> = 27;
template <>
constexpr std::uint8_t kType<LinkChangeResult> = 28;
template <>
constexpr std::uint8_t kType<CustodyRecord> = 29;
template <>
constexpr std::uint8_t kType<OriginateRequest> = 30;
template <>
constexpr std::uint8_t kType<ClockConfirm> = 31;
template <>
constexpr std::uint8_t kType<LinkReport> = 32;
template <>
constexpr std::uint8_t kType<LinkPace> = 33;
template <>
constexpr std::uint8_t kType<LinkAdmin> = 34;
template <>
constexpr std::uint8_t kType<NeighbourDepleted> = 35;
template <>
constexpr std::uint8_t kType<PlanReplace> = 36;
template <>
constexpr std::uint8_t kType<ContactsProposal> = 37;
template <>
constexpr std::uint8_t kType<RoutesPreview> = 38;
template <>
constexpr std::uint8_t kType<BacklogReport> = 39;
template <>
constexpr std::uint8_t kType<PlanChange> = 40;
template <>
constexpr std::uint8_t kType<ContactsChange> = 41;
template <>
constexpr std::uint8_t kType<ModuleEnded> = 42;
// The bus itself makes the next two; other processes refuse them.
template <>
constexpr std::uint8_t kType<ModuleLost> = 43;
template <>
constexpr std::uint8_t kType<ModuleBack> = 44;
template <>
constexpr std::uint8_t kType<LinkInfo> = 45;
template <>
constexpr std::uint8_t kType<StorageReport> = 46;
template <>
constexpr std::uint8_t kType<HistogramReport> = 47;
template <>
constexpr std::uint8_t kType<ProcessReport> = 48;
template <>
constexpr std::uint8_t kType<ApiRequest> = 49;
template <>
constexpr std::uint8_t kType<ApiReply> = 50;
template <>
constexpr std::uint8_t kType<LocalDelivery> = 51;
template <>
constexpr std::uint8_t kType<LocalDelivered> = 52;
template <>
constexpr std::uint8_t kType<LinkOverride> = 53;
template <>
constexpr std::uint8_t kType<DestinationHold> = 54;
template <>
constexpr std::uint8_t kType<DrainMode> = 55;
template <>
constexpr std::uint8_t kType<StoreRequest> = 56;
template <>
constexpr std::uint8_t kType<StoreReply> = 57;
template <>
constexpr std::uint8_t kType<PingRequest> = 58;
template <>
constexpr std::uint8_t kType<PingReply> = 59;
template <>
constexpr std::uint8_t kType<LogChange> = 60;
template <>
constexpr std::uint8_t kType<StateRequest> = 61;
template <>
constexpr std::uint8_t kType<StateReply> = 62;
template <>
constexpr std::uint8_t kType<BundlePieceRequest> = 63;
template <>
constexpr std::uint8_t kType<BundlePiece> = 64;
template <>
constexpr std::uint8_t kType<StoreTaskRequest> = 65;
template <>
constexpr std::uint8_t kType<StoreTaskReply> = 66;
template <>
constexpr std::uint8_t kType<SettingsChange> = 67;
template <>
constexpr std::uint8_t kType<ReloadReport> = 68;
template <>
constexpr std::uint8_t kType<EndpointsChange> = 69;
template <>
constexpr std::uint8_t kType<EndpointReport> = 70;
template <>
constexpr std::uint8_t kType<StorageReserve> = 71;
template <>
constexpr std::uint8_t kType<CommandReport> = 72;

template <class M>
constexpr bool kCarriesBatch = requires(M message) { message.batch; };

/// The slabs for a batch; null for streams of events.
struct Payload {
    std::span<const ByteView> frames;
    const WireMemory *memory = nullptr;
    TimePoint now{};
};

template <class M>
Message read(WireReader &in, const Payload &payload) {
    M message;
    if constexpr (kCarriesBatch<M>) {
        if (payload.memory == nullptr)
            in.fail_with(WireError::kBatchRefused);
        else if constexpr (std::is_same_v<M, BatchOutcome>)
            message.batch = read_outcomes(in);
        else
            message.batch = read_batch(in, payload.frames, *payload.memory, payload.now);
    } else {
        fields(in, message);
    }
    return message;
}

/// Finds the alternative with this type octet; if there is none, sets an error in `in`.
template <std::size_t kIndex = 0>
Message read_type(std::uint8_t type, WireReader &in, const Payload &payload) {
    if constexpr (kIndex == std::variant_size_v<MessageVariant>) {
        in.fail_with(WireError::kUnknownType);
        return Stop{};
    } else {
        using M = std::variant_alternative_t<kIndex, MessageVariant>;
        static_assert(kType<M> != 0, "every message has a type octet");
        if (type == kType<M>) return read<M>(in, payload);
        return read_type<kIndex + 1>(type, in, payload);
    }
}

Result<Message, WireError> decode_with(ByteView header, const Payload &payload) {
    WireReader in(header);
    std::uint8_t magic[2] = {};
    std::uint8_t version = 0;
    std::uint8_t type = 0;
    in(magic[0], magic[1], version, type);
    if (in.failed()) return fail(WireError::kTruncated);
    if (magic[0] != kMagic[0] || magic[1] != kMagic[1]) return fail(WireError::kBadMagic);
    if (version != kWireVersion) return fail(WireError::kBadVersion);
    Message message = read_type(type, in, payload);
    if (const auto error = in.error()) return fail(*error);
    return message;
}

}  // namespace

std::string_view to_string(WireError error) {
    switch (error) {
        case WireError::kTruncated:
            return "truncated";
        case WireError::kBadMagic:
            return "bad_magic";
        case WireError::kBadVersion:
            return "bad_version";
        case WireError::kUnknownType:
            return "unknown_type";
        case WireError::kBadValue:
            return "bad_value";
        case WireError::kBadSlices:
            return "bad_slices";
        case WireError::kTrailingOctets:
            return "trailing_octets";
        case WireError::kBatchRefused:
            return "batch_refused";
        case WireError::kNoMemory:
            return "no_memory";
    }
    return "unknown";
}

EncodedMessage encode(const Message &message, TimePoint now) {
    EncodedMessage encoded;
    WireWriter out(encoded.header);
    std::visit(
        [&](const auto &data) {
            using M = std::decay_t<decltype(data)>;
            out(kMagic[0], kMagic[1], kWireVersion, kType<M>);
            if constexpr (std::is_same_v<M, BatchOutcome>) {
                write_outcomes(out, *data.batch);
            } else if constexpr (kCarriesBatch<M>) {
                encoded.header.reserve(batch_octets(*data.batch));
                write_batch(out, encoded.frames, *data.batch, now);
            } else {
                fields(out, data);
            }
        },
        message);
    return encoded;
}

Result<Message, WireError> decode(ByteView header, std::span<const ByteView> frames,
                                  WireMemory memory, TimePoint now) {
    return decode_with(header, {frames, &memory, now});
}

Result<Message, WireError> decode_event(ByteView header) {
    return decode_with(header, {});
}

namespace {

bool same_batch(const Batch &outcome, const Batch &kept) {
    return outcome.owner == kept.owner && outcome.sequence == kept.sequence &&
           outcome.bundles.size() == kept.bundles.size();
}

}  // namespace

bool is_part(const Batch &outcome) {
    return outcome.done < outcome.bundles.size();
}

BatchPtr part_of(const Batch &outcome, Batch &kept) {
    if (!same_batch(outcome, kept)) return nullptr;
    BatchPtr part = make_part(
        kept, [&](std::size_t place) { return outcome.outcome_of(outcome.bundles[place]); });
    part->sent_payload = outcome.sent_payload;
    kept.done += part->done;
    return part;
}

bool set_outcomes(const Batch &outcome, Batch &kept) {
    if (!same_batch(outcome, kept)) return false;
    // Usually all outcomes are equal; the owner then reads one only.
    const Outcome first =
        outcome.bundles.empty() ? Outcome::kPending : outcome.outcome_of(outcome.bundles.front());
    const bool uniform = kept.done == 0 && first != Outcome::kReturnedEarly &&
                         std::ranges::all_of(outcome.bundles, [&](const BatchedBundle &bundle) {
                             return outcome.outcome_of(bundle) == first;
                         });
    kept.uniform = uniform ? first : Outcome::kPending;
    kept.sent_payload = outcome.sent_payload;
    for (std::size_t place = 0; place < kept.bundles.size() && !uniform; ++place) {
        Outcome &before = kept.bundles[place].outcome;
        const Outcome known = outcome.outcome_of(outcome.bundles[place]);
        if (before == Outcome::kReturnedEarly) continue;
        before = known == Outcome::kReturnedEarly ? Outcome::kNotSent : known;  // it was not
    }
    kept.done = static_cast<std::uint32_t>(kept.bundles.size());
    return true;
}

}  // namespace farlink::bus
