// SPDX-License-Identifier: Apache-2.0
#include "module/control/storage_commands.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "common/runtime/clock.hpp"
#include "module/control/core/decoded_bundle.hpp"
#include "module/control/core/replies.hpp"
#include "module/control/core/storage_replies.hpp"

namespace farlink::app {
namespace {

using Json = StorageCommands::Json;

/// Of one request to storage; it looks at a part of them at a time even so.
constexpr std::uint32_t kDeleteAtOnce = 10'000;
/// What takes longer is gone on with by another command, so that each is answered in time.
constexpr Duration kDeleteFor = seconds(3);
constexpr const char *kNoStorage = "storage does not answer; `status` tells how the modules are";

/// The node of a hold; an error is the reply to it.
Result<NodeNumber, Json> node_of(const Json &request, NodeNumber here) {
    const auto found = request.find("destination");
    if (found == request.end() || !found->is_number_unsigned() || *found == 0U)
        return fail(error_reply(Refusal::kMalformed,
                                "`destination`: expected the number of a node, from 1"));
    const NodeNumber node{found->get<std::uint64_t>()};
    if (node == here)
        return fail(error_reply(
            Refusal::kInvalid, "this is the node itself: what is for it is delivered, not stored"));
    return node;
}

}  // namespace

// ---- what storage has
// ----------------------------------------------------------------------------

void StorageCommands::list(const Json &request, const Answer &answer) {
    auto asked = store_request_of(request, kUsualRows, kMostRows);
    if (!asked) return answer(asked.error());
    requests_.ask_store(std::move(*asked), [=, this](const auto &reply) {
        if (!reply) return answer(error_reply(Refusal::kUnavailable, kNoStorage));
        if (!reply->error.empty())
            return answer(error_reply(Refusal::kUnavailable, std::string(as_text(reply->error))));
        Json bundles = Json::array();
        for (const bus::StoredBundle &bundle : reply->bundles)
            bundles.push_back(stored_json(bundle, config_.storage));
        Json published{{"ok", true}, {"bundles", std::move(bundles)}, {"more", reply->more}};
        if (reply->more) published["next"] = std::to_string(reply->last);
        answer(published);
    });
}

// What the first piece does not reach is not decoded: a payload is not looked at.
void StorageCommands::decode(const Json &request, const Answer &answer) {
    const auto asked = piece_request_of(request);
    if (!asked) return answer(asked.error());
    bus::StoreRequest row;
    row.bundles = {asked->bundle};
    row.limit = 1;
    requests_.ask_store(std::move(row), [=, this, asked = *asked](const auto &listed) {
        if (!listed) return answer(error_reply(Refusal::kUnavailable, kNoStorage));
        if (!listed->error.empty())
            return answer(error_reply(Refusal::kUnavailable, std::string(as_text(listed->error))));
        Json bundle = listed->bundles.empty()
                          ? Json::object()
                          : stored_json(listed->bundles.front(), config_.storage);
        requests_.ask_piece(asked, [=, bundle = std::move(bundle)](const auto &piece) {
            if (!piece) return answer(error_reply(Refusal::kUnavailable, kNoStorage));
            if (piece->fault != bus::PieceFault::kNone) return answer(piece_json(asked, *piece));
            Json decoded = bundle;
            decoded.update(ctl::decoded_json(piece->octets));
            answer({{"ok", true}, {"bundle", std::move(decoded)}});
        });
    });
}

void StorageCommands::read(const Json &request, const Answer &answer) {
    const auto asked = piece_request_of(request);
    if (!asked) return answer(asked.error());
    requests_.ask_piece(*asked, [answer, asked = *asked](const auto &piece) {
        if (!piece) return answer(error_reply(Refusal::kUnavailable, kNoStorage));
        answer(piece_json(asked, *piece));
    });
}

void StorageCommands::task(const Json &request, const Caller &caller, const Answer &answer) {
    const auto asked = task_request_of(request);
    if (!asked) return answer(asked.error());
    requests_.ask_task(*asked, [=, this, asked = *asked, name = caller.name](const auto &reply) {
        if (!reply) return answer(error_reply(Refusal::kUnavailable, kNoStorage));
        if (asked.verb != bus::TaskVerb::kShow && !reply->refused)
            log_.info("{} of the store {} by {}",
                      asked.task == bus::StoreTask::kVerify ? "verification" : "compaction",
                      asked.verb == bus::TaskVerb::kStart ? "started" : "cancelled", name);
        answer(task_json(asked, *reply, config_.storage));
    });
}

// ---- deleting
// ------------------------------------------------------------------------------------

/// What one command has deleted so far.
struct StorageCommands::Deletion {
    bus::StoreRequest request;
    Caller caller;
    Answer answer;
    TimePoint until;
    bus::StoreReply sum{};
};

void StorageCommands::remove(const Json &request, const Caller &caller, const Answer &answer) {
    auto asked = store_request_of(request, kDeleteAtOnce, kDeleteAtOnce);
    if (!asked) return answer(asked.error());
    if (asked->bundles.empty() == asked->destination.empty())
        return answer(error_reply(
            Refusal::kMalformed,
            "expected either `bundles`, their numbers, or `destination`, such as \"ipn:20.*\""));
    asked->verb = bus::StoreVerb::kDelete;
    delete_on(std::make_shared<Deletion>(
        Deletion{std::move(*asked), caller, answer, monotonic_now() + kDeleteFor}));
}

void StorageCommands::delete_on(const std::shared_ptr<Deletion> &deletion) {
    requests_.ask_store(deletion->request, [=, this](const auto &reply) {
        bus::StoreReply &sum = deletion->sum;
        if (!reply || !reply->error.empty()) {
            std::string wrong = reply ? std::string(as_text(reply->error)) : kNoStorage;
            if (sum.deleted > 0)
                wrong =
                    std::to_string(sum.deleted) + " bundles were deleted before; then: " + wrong;
            note(*deletion);
            return deletion->answer(error_reply(Refusal::kUnavailable, wrong));
        }
        sum.deleted += reply->deleted;
        sum.deleted_bytes += reply->deleted_bytes;
        sum.kept += reply->kept;
        sum.kept_in_custody += reply->kept_in_custody;
        sum.last = reply->last;
        deletion->request.after = reply->last;
        if (reply->more && monotonic_now() < deletion->until) return delete_on(deletion);
        finish(*deletion, reply->more);
    });
}

void StorageCommands::note(const Deletion &deletion) const {
    const bus::StoreReply &sum = deletion.sum;
    const bool named = !deletion.request.bundles.empty();
    if (sum.deleted > 0)
        log_.info("{} bundles ({} bytes) {}{} are deleted by {}", sum.deleted, sum.deleted_bytes,
                  named ? "named by number" : "for ", as_text(deletion.request.destination),
                  deletion.caller.name);
}

void StorageCommands::finish(const Deletion &deletion, bool more) const {
    const bus::StoreReply &sum = deletion.sum;
    note(deletion);
    const bool named = !deletion.request.bundles.empty();
    if (named && sum.deleted == 0) {
        if (sum.kept_in_custody > 0)
            return deletion.answer(error_reply(
                Refusal::kConflict,
                "this node is custodian of it: `force` deletes it all the same, and its custody "
                "ends with it"));
        if (sum.kept > 0)
            return deletion.answer(
                error_reply(Refusal::kConflict, "it is being written or sent just now: try again"));
        return deletion.answer(error_reply(
            Refusal::kNotFound,
            "no such bundle: it has gone, or the node has started since; `storage list` tells the "
            "numbers"));
    }
    Json published{{"ok", true},
                   {"deleted", sum.deleted},
                   {"deletedBytes", sum.deleted_bytes},
                   {"kept", sum.kept},
                   {"keptInCustody", sum.kept_in_custody},
                   {"more", more}};
    if (more) published["next"] = std::to_string(sum.last);
    deletion.answer(published);
}

// ---- holding
// -------------------------------------------------------------------------------------

Json StorageCommands::holds() const {
    Json held = Json::array();
    for (const NodeNumber node : holds_.held()) held.push_back(exact_json(node.value()));
    return {{"ok", true}, {"held", std::move(held)}};
}

struct StorageCommands::HoldChange {
    NodeNumber node;
    bool held;
    std::string caller;
    Answer answer;
    HeldDestinations::Nodes next{};  ///< all that are held then
    Json refusal{};                  ///< null: it is written
};

void StorageCommands::hold(const Json &request, bool held, const Caller &caller,
                           const Answer &answer) {
    const auto node = node_of(request, config_.node);
    if (!node) return answer(node.error());
    const auto change = std::make_shared<HoldChange>(HoldChange{*node, held, caller.name, answer});
    const bool taken = writes_.add([this, change](const std::stop_token &) { write(*change); },
                                   [this, change] { put_in_force(*change); });
    if (!taken) answer(error_reply(Refusal::kUnavailable, "too much is to be written; try again"));
}

// Beside the loop.
void StorageCommands::write(HoldChange &change) const {
    const HeldDestinations::Nodes &now = holds_.held();
    const bool known = now.contains(change.node);
    const auto refuse = [&](Refusal why, const std::string &error) {
        change.refusal = error_reply(why, error);
    };
    if (!change.held && !known)
        return refuse(Refusal::kNotFound, "node " + std::to_string(change.node.value()) +
                                              " is not held; `storage holds` lists those that are");
    if (change.held && !known && now.size() >= HeldDestinations::kMostHeld)
        return refuse(Refusal::kConflict, std::to_string(HeldDestinations::kMostHeld) +
                                              " nodes are held already: release one first");
    change.next = now;
    if (change.held)
        change.next.insert(change.node);
    else
        change.next.erase(change.node);
    if (change.next == now) return;
    const std::string wrong = holds_.write(change.next);
    if (!wrong.empty()) refuse(Refusal::kUnavailable, wrong);
}

void StorageCommands::put_in_force(const HoldChange &change) {
    if (!change.refusal.is_null()) return change.answer(change.refusal);
    if (change.next != holds_.held())
        log_.info("bundles for node {} are {} by {}", change.node.value(),
                  change.held ? "held" : "released", change.caller);
    holds_.take(change.next);
    requests_.send(bus::AgentId::kRouter, bus::DestinationHold{change.node, change.held});
    // The router takes messages in their order: it has answered, so it has the hold.
    requests_.ask_routes([this, answer = change.answer](const auto &routes) {
        if (routes) return answer(holds());
        answer(error_reply(Refusal::kUnavailable,
                           "it is written, but the router does not answer: it will be in force "
                           "once that is back"));
    });
}

void StorageCommands::publish_to_router() {
    for (const NodeNumber node : holds_.held())
        requests_.send(bus::AgentId::kRouter, bus::DestinationHold{node, true});
    requests_.send(bus::AgentId::kRouter, bus::DestinationHold{});
}

}  // namespace farlink::app
