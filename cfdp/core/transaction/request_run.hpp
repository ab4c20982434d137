// SPDX-License-Identifier: Apache-2.0
// The filestore requests of a transaction: taken from Metadata, run once the file has its name.
// Owned by a receiver; one thread. The filestore is borrowed for a call.
// Each has one response, whatever comes of the transaction.
#pragma once

#include <array>
#include <vector>

#include "cfdp/core/pdu/options.hpp"
#include "cfdp/core/transaction/filestore.hpp"
#include "cfdp/core/transaction/settings.hpp"

namespace farlink::cfdp {

class RequestRun {
public:
    /// Their responses fit into one Finished PDU.
    static constexpr std::size_t kMost = 100;

    /// False: it cannot be read, or there are too many.
    [[nodiscard]] bool take(ByteView value);
    [[nodiscard]] bool empty() const { return requests_.empty(); }
    /// Section 4.9: in their order; after one that fails none is performed.
    void run(EntityId from, const Permissions &may, Filestore &filestore);
    /// Of an earlier run.
    void restore(const std::vector<FilestoreResponse> &responses) { responses_ = responses; }
    /// What has no response is not performed.
    void close();
    [[nodiscard]] const std::vector<FilestoreResponse> &responses() const { return responses_; }

private:
    std::vector<FilestoreRequest> requests_;
    std::vector<FilestoreResponse> responses_;
};

/// Options of Metadata: requests, and overrides of fault handlers, which apply from now on. False:
/// one cannot be read.
[[nodiscard]] bool take_options(const std::vector<Tlv> &options, RequestRun &requests,
                                std::array<FaultHandler, kConditionCodes> &handlers);

}  // namespace farlink::cfdp
