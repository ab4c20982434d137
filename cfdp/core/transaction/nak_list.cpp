// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/transaction/nak_list.hpp"

#include <algorithm>

namespace farlink::cfdp {
namespace {

/// Segment requests that fit into one PDU.
std::size_t most_requests(const PduHeader &header, std::size_t pdu_bytes) {
    const std::size_t number = header.large_file ? 8 : 4;
    const std::size_t head = header_bytes(header) + 1 + 2 * number + kPduCrcBytes;
    return std::max<std::size_t>(1, (std::max(pdu_bytes, head) - head) / (2 * number));
}

}  // namespace

std::vector<Nak> make_naks(files::Extent scope, const std::vector<files::Extent> &gaps,
                           bool without_metadata, const PduHeader &header, std::size_t pdu_bytes) {
    std::vector<SegmentRequest> requests;
    if (without_metadata) requests.push_back({0, 0});
    for (const files::Extent &gap : gaps)
        if (gap.size() > 0) requests.push_back({gap.begin, gap.end});
    const std::size_t most = most_requests(header, pdu_bytes);
    std::vector<Nak> naks;
    std::size_t at = 0;
    do {
        const std::size_t count = std::min(most, requests.size() - at);
        Nak nak{.scope_begin = scope.begin, .scope_end = scope.end};
        nak.requests.assign(requests.begin() + static_cast<std::ptrdiff_t>(at),
                            requests.begin() + static_cast<std::ptrdiff_t>(at + count));
        at += count;
        if (at < requests.size()) nak.scope_end = scope.begin = nak.requests.back().end;
        naks.push_back(std::move(nak));
    } while (at < requests.size());
    return naks;
}

}  // namespace farlink::cfdp
