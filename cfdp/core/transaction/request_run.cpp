// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/transaction/request_run.hpp"

#include <utility>

namespace farlink::cfdp {
namespace {

Permission permission_for(FilestoreRequest::Action action) {
    using enum Permission;
    constexpr Permission kNeeded[kFilestoreActions] = {kCreate,       kDelete,  kRename,
                                                       kAppend,       kReplace, kCreateFolder,
                                                       kRemoveFolder, kDelete,  kRemoveFolder};
    return kNeeded[static_cast<std::size_t>(action)];
}

/// By its number of the wire: what is not there needs no denial.
bool has_failed(const FilestoreResponse &response) {
    return (encode_filestore_response(response)[0] & 15U) != 0;
}

}  // namespace

bool RequestRun::take(ByteView value) {
    auto request = decode_filestore_request(value);
    if (!request || requests_.size() >= kMost) return false;
    requests_.push_back(std::move(*request));
    return true;
}

void RequestRun::run(EntityId from, const Permissions &may, Filestore &filestore) {
    for (const FilestoreRequest &request : requests_) {
        const bool allowed = may.has(permission_for(request.action));
        responses_.push_back(
            {request, allowed ? filestore.execute(from, request) : FilestoreResult::kRefused});
        if (has_failed(responses_.back())) break;
    }
    close();
}

void RequestRun::close() {
    for (std::size_t i = responses_.size(); i < requests_.size(); ++i)
        responses_.push_back({requests_[i], FilestoreResult::kNotPerformed});
}

bool take_options(const std::vector<Tlv> &options, RequestRun &requests,
                  std::array<FaultHandler, kConditionCodes> &handlers) {
    for (const Tlv &option : options) {
        if (option.type == Tlv::kFilestoreRequest && !requests.take(option.value)) return false;
        if (option.type != Tlv::kFaultHandlerOverride) continue;
        const auto handler = decode_handler_override(option.value);
        if (!handler) return false;
        handlers[static_cast<std::size_t>(handler->condition)] = handler->handler;
    }
    return true;
}

}  // namespace farlink::cfdp
