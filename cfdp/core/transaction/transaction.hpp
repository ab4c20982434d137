// SPDX-License-Identifier: Apache-2.0
// What all transactions have: requests, states for operators, and the end that they come to.
// Values.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cfdp/core/pdu/options.hpp"
#include "cfdp/core/pdu/pdu.hpp"
#include "cfdp/core/transaction/settings.hpp"

namespace farlink::cfdp {

/// Section 3.4.1: what is to be sent, and how. Without names: Metadata alone, with its options.
struct PutRequest {
    EntityId destination = 0;
    std::string source_name{};
    std::string destination_name{};
    bool acknowledged = true;
    bool closure = false;
    Algorithm checksum = Algorithm::kCrc32c;
    std::vector<Tlv> options{};
    std::optional<Bytes> content{};  ///< in place of a file of that name
};

/// How a transaction has ended.
struct Outcome {
    ConditionCode condition = ConditionCode::kNoError;
    bool complete = false;  ///< all octets are at the receiver, as far as is known here
    FileStatus status = FileStatus::kUnreported;
    bool abandoned = false;
    std::string name{};  ///< receiver: what the file has become
    std::vector<FilestoreResponse> responses{};

    [[nodiscard]] bool ok() const { return condition == ConditionCode::kNoError && complete; }
};

/// What an operator sees of a transaction.
struct Report {
    TransactionId id{};
    EntityId remote = 0;
    bool sending = false;
    bool acknowledged = false;
    bool suspended = false;
    std::string state{};
    std::string source_name{};
    std::string destination_name{};
    std::uint64_t file_size = 0;
    std::uint64_t progress = 0;
    std::uint64_t repeated = 0;  ///< octets sent or received again
    ConditionCode condition = ConditionCode::kNoError;
    std::vector<Bytes> messages{};     ///< to the user
    std::optional<Outcome> outcome{};  ///< it has ended
};

}  // namespace farlink::cfdp
