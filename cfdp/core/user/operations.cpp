// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/user/operations.hpp"

#include <algorithm>
#include <utility>

namespace farlink::cfdp {
namespace {

void add_message(PutRequest &request, const UserMessage &message) {
    if (auto value = encode_user_message(message))
        request.options.push_back({Tlv::kMessageToUser, std::move(*value)});
}

/// Options of a proxy put that another entity has chosen. Reserved messages are not passed on:
/// a third entity would take them as those of this one.
void take_option(PutRequest &request, const ProxyOption &option) {
    if (option.is_request)
        request.options.push_back({Tlv::kFilestoreRequest, option.value});
    else if (!reserved_message_type(option.value))
        request.options.push_back({Tlv::kMessageToUser, option.value});
}

void take_options(PutRequest &request, const std::vector<Bytes> &messages) {
    for (const Bytes &each : messages) {
        const auto message = decode_user_message(each);
        if (!message) continue;
        if (const auto *option = std::get_if<ProxyOption>(&*message)) take_option(request, *option);
        if (const auto *handler = std::get_if<ProxyOverride>(&*message))
            request.options.push_back({Tlv::kFaultHandlerOverride, Bytes{handler->value}});
        if (const auto *mode = std::get_if<ProxyMode>(&*message))
            request.acknowledged = !mode->unacknowledged;
        if (const auto *closure = std::get_if<ProxyClosure>(&*message))
            request.closure = closure->requested;
    }
}

std::string text_of(const TransactionId &id) {
    return std::to_string(id.source) + '/' + std::to_string(id.sequence);
}

std::string state_of(const Report &report) {
    if (report.outcome) return report.outcome->ok() ? "complete" : "ended";
    return report.suspended ? "suspended" : report.state;
}

std::string report_text(const Report &report) {
    std::string text = "transaction " + text_of(report.id) + '\n';
    text += "state " + state_of(report) + '\n';
    text += "condition " + std::string(name_of(report.condition)) + '\n';
    text += "octets " + std::to_string(report.progress) + " of " +
            std::to_string(report.file_size) + '\n';
    return text + "repeated " + std::to_string(report.repeated) + '\n';
}

TransactionStatus status_of(const std::optional<Report> &report) {
    if (!report) return TransactionStatus::kUnrecognized;
    return report->outcome ? TransactionStatus::kTerminated : TransactionStatus::kActive;
}

std::string_view name_of_status(TransactionStatus status) {
    constexpr std::string_view kNames[] = {"undefined", "active", "terminated", "unrecognized"};
    return kNames[static_cast<std::size_t>(status) & 3];
}

bool is_answer(const UserMessage &message) {
    return std::holds_alternative<ProxyPutResponse>(message) ||
           std::holds_alternative<ListingResponse>(message) ||
           std::holds_alternative<ReportResponse>(message) ||
           std::holds_alternative<ChangeResponse>(message);
}

void take_answer(Operation &operation, const UserMessage &message) {
    operation.ended = true;
    if (const auto *put = std::get_if<ProxyPutResponse>(&message)) {
        operation.condition = put->condition;
        operation.done = put->condition == ConditionCode::kNoError && !put->incomplete;
    } else if (const auto *listing = std::get_if<ListingResponse>(&message)) {
        operation.done = !listing->failed;
    } else if (const auto *report = std::get_if<ReportResponse>(&message)) {
        operation.done = !report->failed;
        operation.state = name_of_status(report->status);
    } else if (const auto *change = std::get_if<ChangeResponse>(&message)) {
        operation.state = change->suspended ? "suspended" : name_of_status(change->status);
        operation.done =
            change->status == TransactionStatus::kActive && change->suspended != change->resume;
    }
}

}  // namespace

PutRequest UserOperations::request_to(EntityId remote) const {
    PutRequest request{.destination = remote};
    const auto found = entity_.remotes().find(remote);
    if (found == entity_.remotes().end()) return request;
    request.acknowledged = found->second.acknowledged;
    request.closure = found->second.closure;
    request.checksum = found->second.checksum;
    return request;
}

UserOperations::Asked UserOperations::ask(EntityId remote, std::string kind,
                                          const std::vector<UserMessage> &messages) {
    PutRequest request = request_to(remote);
    for (const UserMessage &each : messages) {
        auto value = encode_user_message(each);
        if (!value) return fail(std::string("the file names are too long for one message"));
        request.options.push_back({Tlv::kMessageToUser, std::move(*value)});
    }
    auto id = put_(request);
    if (!id) return id;
    operations_[*id] = {.remote = remote, .kind = std::move(kind)};
    order_.push_back(*id);
    if (order_.size() > kMostOperations) {
        operations_.erase(order_.front());
        order_.pop_front();
    }
    return id;
}

UserOperations::Asked UserOperations::get(const Get &wanted) {
    std::vector<UserMessage> messages{
        ProxyPut{local_, wanted.source_name, wanted.destination_name}};
    if (wanted.acknowledged) messages.emplace_back(ProxyMode{!*wanted.acknowledged});
    return ask(wanted.remote, "get", messages);
}

UserOperations::Asked UserOperations::list(EntityId remote, const std::string &folder,
                                           const std::string &file) {
    return ask(remote, "ls", {ListingRequest{folder, file}});
}

UserOperations::Asked UserOperations::report(EntityId remote, const TransactionId &id,
                                             const std::string &file) {
    return ask(remote, "report", {ReportRequest{id, file}});
}

UserOperations::Asked UserOperations::change(EntityId remote, const TransactionId &id,
                                             bool resume) {
    return ask(remote, resume ? "resume" : "suspend", {ChangeRequest{resume, id}});
}

const Operation *UserOperations::find(const TransactionId &id) const {
    const auto found = operations_.find(id);
    return found == operations_.end() ? nullptr : &found->second;
}

Operation *UserOperations::operation_of(const TransactionId &id, EntityId remote) {
    const auto found = operations_.find(id);
    const bool theirs = found != operations_.end() && found->second.remote == remote;
    return theirs && !found->second.ended ? &found->second : nullptr;
}

void UserOperations::handle_ended(const Report &report, TimePoint now) {
    if (!report.outcome) return;
    if (report.sending) return handle_sent(report);
    if (report.outcome->ok()) handle_received(report, now);
}

// A question that did not arrive, or a proxy put whose end is reported to the entity that has
// asked: its Originating message is in its own Metadata, so that a restart does not lose it.
void UserOperations::handle_sent(const Report &report) {
    if (const auto found = for_others_.find(report.id); found != for_others_.end()) {
        contents_.give_back(found->second.content);
        places_.give_back(found->second.place);
        for_others_.erase(found);
    }
    if (Operation *const operation = operation_of(report.id, report.remote)) {
        if (report.outcome->ok()) return;
        operation->ended = true;
        operation->condition = report.outcome->condition;
        return;
    }
    const auto asked = find_message<Originating>(report.messages);
    if (!asked || report.source_name.empty()) return;
    if (find_message<ListingResponse>(report.messages) ||
        find_message<ReportResponse>(report.messages))
        return;
    (void)answer(asked->id.source, asked->id,
                 ProxyPutResponse{report.outcome->condition, !report.outcome->complete,
                                  report.outcome->status});
}

UserOperations::Asked UserOperations::answer(EntityId remote, const TransactionId &asked,
                                             const UserMessage &with) {
    PutRequest request = request_to(remote);
    add_message(request, with);
    add_message(request, Originating{asked});
    return put_for(remote, request, Purpose::kAnswer);
}

// They would otherwise leave no transactions to the user, and to other entities.
UserOperations::Asked UserOperations::put_for(EntityId remote, const PutRequest &request,
                                              Purpose purpose) {
    const std::size_t entities = std::max<std::size_t>(entity_.remotes().size(), 1);
    const std::size_t part = std::max<std::size_t>(kMostForOthers / entities, 1);
    const std::size_t most = purpose == Purpose::kAnswer ? part : part - part / 4;
    if (places_.held_by(remote) >= most || entity_.is_full()) {
        ++shortages_[remote].refused;
        return fail(std::string("too many transactions in progress"));
    }
    auto id = put_(request);
    if (id) places_.take(for_others_[*id].place, remote, *id);
    return id;
}

void UserOperations::handle_received(const Report &report, TimePoint now) {
    const auto originating = find_message<Originating>(report.messages);
    for (const Bytes &each : report.messages) {
        const auto message = decode_user_message(each);
        if (!message) continue;
        if (const auto *put = std::get_if<ProxyPut>(&*message)) run(*put, report);
        if (const auto *listing = std::get_if<ListingRequest>(&*message))
            run(*listing, report, now);
        if (const auto *wanted = std::get_if<ReportRequest>(&*message)) run(*wanted, report, now);
        if (const auto *change = std::get_if<ChangeRequest>(&*message)) run(*change, report, now);
        if (std::holds_alternative<ProxyCancel>(*message) && originating)
            cancel_proxies(report, originating->id, now);
    }
    if (originating) handle_answer(report, originating->id);
}

void UserOperations::handle_answer(const Report &report, const TransactionId &asked) {
    Operation *const operation = operation_of(asked, report.remote);
    if (operation == nullptr) return;
    if (!report.outcome->name.empty()) operation->file = report.outcome->name;
    for (const Bytes &each : report.messages)
        if (const auto message = decode_user_message(each); message && is_answer(*message))
            take_answer(*operation, *message);
}

bool UserOperations::may(EntityId remote, Permission permission) const {
    const auto found = entity_.remotes().find(remote);
    return found != entity_.remotes().end() && found->second.may.has(permission);
}

void UserOperations::run(const ProxyPut &wanted, const Report &asked) {
    const bool own = wanted.destination == asked.remote;
    PutRequest request = request_to(wanted.destination);
    request.source_name = filestore_.name_for_open(asked.remote, wanted.source_name);
    request.destination_name = wanted.destination_name;
    take_options(request, asked.messages);
    add_message(request, Originating{asked.id});
    const bool allowed = may(asked.remote, own ? Permission::kGet : Permission::kProxy);
    if (allowed && !wanted.source_name.empty() && put_for(asked.remote, request, Purpose::kWork))
        return;
    (void)answer(asked.remote, asked.id,
                 ProxyPutResponse{ConditionCode::kFilestoreRejection, true, FileStatus::kRejected});
}

bool UserOperations::make_room_for_content(EntityId remote, TimePoint now) {
    const std::size_t share = Places::share(kMostContents, entity_.remotes().size());
    bool room = contents_.held_by(remote) < share;
    if (room && contents_.size() >= kMostContents) {
        const auto id =
            contents_.idlest_of_others(remote, [](const TransactionId &) { return true; });
        room = id && entity_.cancel(*id, now);
        if (room) {
            ForOther &other = for_others_.at(*id);
            ++shortages_[other.content.entity].given_up;
            contents_.give_back(other.content);
        }
    }
    if (!room) ++shortages_[remote].refused;
    return room;
}

bool UserOperations::send_content(const Report &asked, PutRequest request,
                                  const std::string &content, const UserMessage &with) {
    const ByteView octets = as_bytes(content);
    request.content = Bytes(octets.begin(), octets.end());
    add_message(request, with);
    add_message(request, Originating{asked.id});
    const auto id = put_for(asked.remote, request, Purpose::kWork);
    if (id) contents_.take(for_others_.at(*id).content, asked.remote, *id);
    return id.has_value();
}

void UserOperations::run(const ListingRequest &wanted, const Report &asked, TimePoint now) {
    ListingResponse response{false, wanted.folder, wanted.file_name};
    if (may(asked.remote, Permission::kList) && make_room_for_content(asked.remote, now)) {
        PutRequest request = request_to(asked.remote);
        request.source_name = "listing";
        request.destination_name = wanted.file_name;
        const auto listing = filestore_.list(asked.remote, wanted.folder);
        if (listing && send_content(asked, std::move(request), *listing, response)) return;
    }
    response.failed = true;
    (void)answer(asked.remote, asked.id, response);
}

// Of transactions between the two only.
void UserOperations::run(const ReportRequest &wanted, const Report &asked, TimePoint now) {
    ReportResponse response{TransactionStatus::kUnrecognized, true, wanted.id, wanted.file_name};
    auto report = entity_.report(wanted.id);
    if (report && report->remote != asked.remote) report.reset();
    if (may(asked.remote, Permission::kReport) && report) {
        PutRequest request = request_to(asked.remote);
        request.source_name = "report";
        request.destination_name = wanted.file_name;
        response.status = status_of(report);
        response.failed = false;
        if (make_room_for_content(asked.remote, now) &&
            send_content(asked, std::move(request), report_text(*report), response))
            return;
        response.failed = true;
    }
    (void)answer(asked.remote, asked.id, response);
}

void UserOperations::run(const ChangeRequest &wanted, const Report &asked, TimePoint now) {
    auto report = entity_.report(wanted.id);
    if (report && report->remote != asked.remote) report.reset();
    if (report && may(asked.remote, Permission::kSuspend)) {
        (void)(wanted.resume ? entity_.resume(wanted.id, now) : entity_.suspend(wanted.id, now));
        report = entity_.report(wanted.id);
    }
    (void)answer(
        asked.remote, asked.id,
        ChangeResponse{wanted.resume, report && report->suspended, status_of(report), wanted.id});
}

void UserOperations::cancel_proxies(const Report &asked, const TransactionId &id, TimePoint now) {
    if (id.source != asked.remote) return;
    for (const Report &each : entity_.reports()) {
        if (each.outcome || !each.sending) continue;
        const auto by = find_message<Originating>(each.messages);
        if (by && by->id == id) (void)entity_.cancel(each.id, now);
    }
}

}  // namespace farlink::cfdp
