// SPDX-License-Identifier: Apache-2.0
// The reserved messages to the user: proxy operations, directory listings, remote status reports,
// remote suspend and resume (CCSDS 727.0-B-5 chapter 6).
// Values.
// Any thread.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cfdp/core/pdu/options.hpp"
#include "cfdp/core/pdu/pdu.hpp"

namespace farlink::cfdp {

struct ProxyPut {
    EntityId destination = 0;
    std::string source_name{};
    std::string destination_name{};
    friend bool operator==(const ProxyPut &, const ProxyPut &) = default;
};
/// A message to the user, or a filestore request, for the proxy put.
struct ProxyOption {
    bool is_request = false;
    Bytes value{};
    friend bool operator==(const ProxyOption &, const ProxyOption &) = default;
};
struct ProxyOverride {
    std::uint8_t value = 0;  ///< as in the TLV
    friend bool operator==(const ProxyOverride &, const ProxyOverride &) = default;
};
struct ProxyMode {
    bool unacknowledged = false;
    friend bool operator==(const ProxyMode &, const ProxyMode &) = default;
};
struct ProxyClosure {
    bool requested = false;
    friend bool operator==(const ProxyClosure &, const ProxyClosure &) = default;
};
struct ProxyPutResponse {
    ConditionCode condition = ConditionCode::kNoError;
    bool incomplete = false;
    FileStatus status = FileStatus::kUnreported;
    friend bool operator==(const ProxyPutResponse &, const ProxyPutResponse &) = default;
};
struct ProxyCancel {
    friend bool operator==(const ProxyCancel &, const ProxyCancel &) = default;
};
/// The transaction that has asked for what this one does or answers.
struct Originating {
    TransactionId id{};
    friend bool operator==(const Originating &, const Originating &) = default;
};
struct ListingRequest {
    std::string folder{};
    std::string file_name{};  ///< for the listing, at the entity that asks
    friend bool operator==(const ListingRequest &, const ListingRequest &) = default;
};
struct ListingResponse {
    bool failed = false;
    std::string folder{};
    std::string file_name{};
    friend bool operator==(const ListingResponse &, const ListingResponse &) = default;
};
struct ReportRequest {
    TransactionId id{};
    std::string file_name{};
    friend bool operator==(const ReportRequest &, const ReportRequest &) = default;
};
struct ReportResponse {
    TransactionStatus status = TransactionStatus::kUndefined;
    bool failed = false;
    TransactionId id{};
    std::string file_name{};
    friend bool operator==(const ReportResponse &, const ReportResponse &) = default;
};
/// Suspend, or resume.
struct ChangeRequest {
    bool resume = false;
    TransactionId id{};
    friend bool operator==(const ChangeRequest &, const ChangeRequest &) = default;
};
struct ChangeResponse {
    bool resume = false;
    bool suspended = false;
    TransactionStatus status = TransactionStatus::kUndefined;
    TransactionId id{};
    friend bool operator==(const ChangeResponse &, const ChangeResponse &) = default;
};

using UserMessage =
    std::variant<ProxyPut, ProxyOption, ProxyOverride, ProxyMode, ProxyClosure, ProxyPutResponse,
                 ProxyCancel, Originating, ListingRequest, ListingResponse, ReportRequest,
                 ReportResponse, ChangeRequest, ChangeResponse>;

/// None: no reserved message, or one that this entity does not read.
[[nodiscard]] std::optional<UserMessage> decode_user_message(ByteView value);
/// None: it has more than the 255 octets of a TLV.
[[nodiscard]] std::optional<Bytes> encode_user_message(const UserMessage &message);

/// The first one of this kind.
template <class Kind>
[[nodiscard]] std::optional<Kind> find_message(const std::vector<Bytes> &messages) {
    for (const Bytes &each : messages)
        if (auto message = decode_user_message(each))
            if (auto *found = std::get_if<Kind>(&*message)) return std::move(*found);
    return std::nullopt;
}

}  // namespace farlink::cfdp
