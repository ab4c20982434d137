// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/storage_commands.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "common/base/counted.hpp"
#include "common/json/exact_number.hpp"
#include "module/control/core/json/decoded_bundle.hpp"
#include "module/control/core/json/replies.hpp"
#include "module/control/core/json/storage_replies.hpp"

namespace farlink::control {
namespace {

using Json = StorageCommands::Json;

/// Of one request to storage, which reads a part of them at a time.
constexpr std::uint32_t kDeleteAtOnce = 10'000;
/// After this time the reply has `more`, and another command continues.
constexpr Duration kDeleteFor = seconds(3);
constexpr const char *kNoStorage =
    "storage does not reply; `status` lists the states of the modules";

/// The node of a hold; an error is the reply to it.
Result<NodeNumber, Json> node_of(const Json &request, NodeNumber here) {
    const auto found = request.find("destination");
    if (found == request.end() || !found->is_number_unsigned() || *found == 0U)
        return fail(error_reply(Refusal::kMalformed,
                                "`destination`: expected the number of a node, from 1"));
    const NodeNumber node{found->get<std::uint64_t>()};
    if (node == here)
        return fail(error_reply(Refusal::kInvalid,
                                "`destination`: found this node, whose bundles are delivered and "
                                "not stored; expected another node"));
    return node;
}

}  // namespace

// ---- listing
// ----------------------------------------------------------------------------

void StorageCommands::list(const Json &request, const Answer &answer, const WallClock &now) {
    auto asked = store_request_of(request, kUsualRows, kMostRows);
    if (!asked) return answer(asked.error());
    const auto publish = [this](const bus::StoreReply &reply) {
        Json bundles = Json::array();
        for (const bus::StoredBundle &bundle : reply.bundles)
            bundles.push_back(stored_json(bundle, config_.storage));
        return Json{{"ok", true}, {"bundles", std::move(bundles)}};
    };
    ask_page(std::move(*asked), publish, answer, now);
}

void StorageCommands::sets(const Json &request, const Answer &answer, const WallClock &now) {
    auto asked = store_request_of(request, kUsualRows, kMostRows);
    if (!asked) return answer(asked.error());
    asked->verb = bus::StoreVerb::kSets;
    const auto publish = [](const bus::StoreReply &reply) {
        Json sets = Json::array();
        for (const bus::StoredSet &set : reply.sets) sets.push_back(set_json(set));
        return Json{{"ok", true}, {"sets", std::move(sets)}};
    };
    ask_page(std::move(*asked), publish, answer, now);
}

void StorageCommands::ask_page(bus::StoreRequest asked, const PublishRows &publish,
                               const Answer &answer, const WallClock &now) {
    const auto handle = [=](const auto &reply, const WallClock &) {
        if (!reply) return answer(error_reply(Refusal::kUnavailable, kNoStorage));
        if (!reply->error.empty())
            return answer(error_reply(Refusal::kUnavailable, std::string(as_text(reply->error))));
        Json page = publish(*reply);
        page["more"] = reply->more;
        if (reply->more) page["next"] = std::to_string(reply->last);
        answer(page);
    };
    requests_.request_store(std::move(asked), handle, now);
}

// Blocks behind the first piece are not decoded; no payload is read.
void StorageCommands::decode(const Json &request, const Answer &answer, const WallClock &now) {
    const auto asked = piece_request_of(request);
    if (!asked) return answer(asked.error());
    bus::StoreRequest row;
    row.bundles = {asked->bundle};
    row.limit = 1;
    const auto handle = [=, this, asked = *asked](const auto &listed, const WallClock &later) {
        if (!listed) return answer(error_reply(Refusal::kUnavailable, kNoStorage));
        if (!listed->error.empty())
            return answer(error_reply(Refusal::kUnavailable, std::string(as_text(listed->error))));
        Json bundle = listed->bundles.empty()
                          ? Json::object()
                          : stored_json(listed->bundles.front(), config_.storage);
        const auto add_blocks = [=, bundle = std::move(bundle)](const auto &piece,
                                                                const WallClock &) {
            if (!piece) return answer(error_reply(Refusal::kUnavailable, kNoStorage));
            if (piece->fault != bus::PieceFault::kNone) return answer(piece_json(asked, *piece));
            Json decoded = bundle;
            decoded.update(decoded_json(piece->octets));
            answer({{"ok", true}, {"bundle", std::move(decoded)}});
        };
        requests_.request_piece(asked, add_blocks, later);
    };
    requests_.request_store(std::move(row), handle, now);
}

void StorageCommands::read(const Json &request, const Answer &answer, const WallClock &now) {
    const auto asked = piece_request_of(request);
    if (!asked) return answer(asked.error());
    const auto handle = [answer, asked = *asked](const auto &piece, const WallClock &) {
        if (!piece) return answer(error_reply(Refusal::kUnavailable, kNoStorage));
        answer(piece_json(asked, *piece));
    };
    requests_.request_piece(*asked, handle, now);
}

void StorageCommands::task(const Json &request, const Caller &caller, const Answer &answer,
                           const WallClock &now) {
    const auto asked = task_request_of(request);
    if (!asked) return answer(asked.error());
    const auto handle = [=, this, asked = *asked, name = caller.name](const auto &reply,
                                                                      const WallClock &) {
        if (!reply) return answer(error_reply(Refusal::kUnavailable, kNoStorage));
        if (asked.verb != bus::TaskVerb::kShow && !reply->refused)
            log_.info(std::string("storage: ") +
                      (asked.task == bus::StoreTask::kVerify ? "verification " : "compaction ") +
                      (asked.verb == bus::TaskVerb::kStart ? "started" : "cancelled") + " by " +
                      name);
        answer(task_json(asked, *reply, config_.storage));
    };
    requests_.request_task(*asked, handle, now);
}

// ---- deleting
// ------------------------------------------------------------------------------------

/// One command, and the sum of its deletions so far.
struct StorageCommands::Deletion {
    bus::StoreRequest request;
    Caller caller;
    Answer answer;
    TimePoint until;
    bus::StoreReply sum{};
};

void StorageCommands::remove(const Json &request, const Caller &caller, const Answer &answer,
                             const WallClock &now) {
    auto asked = store_request_of(request, kDeleteAtOnce, kDeleteAtOnce);
    if (!asked) return answer(asked.error());
    if (asked->bundles.empty() == asked->destination.empty())
        return answer(error_reply(
            Refusal::kMalformed,
            "expected either `bundles`, their numbers, or `destination`, such as \"ipn:20.*\""));
    asked->verb = bus::StoreVerb::kDelete;
    delete_on(std::make_shared<Deletion>(
                  Deletion{std::move(*asked), caller, answer, now.at + kDeleteFor}),
              now);
}

void StorageCommands::delete_on(const std::shared_ptr<Deletion> &deletion, const WallClock &now) {
    const auto handle = [=, this](const auto &reply, const WallClock &later) {
        bus::StoreReply &sum = deletion->sum;
        if (!reply || !reply->error.empty()) {
            std::string wrong = reply ? std::string(as_text(reply->error)) : kNoStorage;
            if (sum.deleted > 0)
                wrong = counted(sum.deleted, "bundle") + " deleted before this error: " + wrong;
            log_deletion(*deletion);
            return deletion->answer(error_reply(Refusal::kUnavailable, wrong));
        }
        sum.deleted += reply->deleted;
        sum.deleted_bytes += reply->deleted_bytes;
        sum.kept += reply->kept;
        sum.kept_in_custody += reply->kept_in_custody;
        sum.last = reply->last;
        deletion->request.after = reply->last;
        if (reply->more && later.at < deletion->until) return delete_on(deletion, later);
        finish(*deletion, reply->more);
    };
    requests_.request_store(deletion->request, handle, now);
}

void StorageCommands::log_deletion(const Deletion &deletion) const {
    const bus::StoreReply &sum = deletion.sum;
    if (sum.deleted == 0) return;
    const bool named = !deletion.request.bundles.empty();
    const std::string which =
        named ? ", named by number" : " for " + std::string(as_text(deletion.request.destination));
    log_.info("deleted by " + deletion.caller.name + ": " + counted(sum.deleted, "stored bundle") +
              " (" + counted(sum.deleted_bytes, "byte") + ")" + which);
}

void StorageCommands::finish(const Deletion &deletion, bool more) const {
    const bus::StoreReply &sum = deletion.sum;
    log_deletion(deletion);
    const bool named = !deletion.request.bundles.empty();
    if (named && sum.deleted == 0) {
        if (sum.kept_in_custody > 0)
            return deletion.answer(error_reply(Refusal::kConflict,
                                               "this node is custodian of the bundle; `force` "
                                               "deletes the bundle and ends its custody"));
        if (sum.kept > 0)
            return deletion.answer(
                error_reply(Refusal::kConflict, "the bundle is being written or sent; try again"));
        return deletion.answer(error_reply(Refusal::kNotFound,
                                           "no such bundle: the bundle was sent or deleted, or the "
                                           "node has restarted; `storage list` shows the numbers"));
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
    HeldDestinations::Nodes next{};  ///< all held destinations after it
    Json refusal{};                  ///< null: it is written
};

void StorageCommands::hold(const Json &request, bool held, const Caller &caller,
                           const Answer &answer) {
    const auto node = node_of(request, config_.node);
    if (!node) return answer(node.error());
    const auto change = std::make_shared<HoldChange>(HoldChange{*node, held, caller.name, answer});
    const bool taken =
        writes_.add([this, change](const std::stop_token &) { write(*change); },
                    [this, change](const WallClock &now) { put_in_force(*change, now); });
    if (!taken) answer(error_reply(Refusal::kUnavailable, "too many writes are queued; try again"));
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
                                              " is not held; `storage holds` lists the held nodes");
    if (change.held && !known && now.size() >= HeldDestinations::kMostHeld)
        return refuse(Refusal::kConflict, std::to_string(HeldDestinations::kMostHeld) +
                                              " nodes are already held; release a node first");
    change.next = change.held ? holds_.with(change.node) : holds_.without(change.node);
    if (change.next == now) return;
    const std::string wrong = write_held_(change.next);
    if (!wrong.empty()) refuse(Refusal::kUnavailable, wrong);
}

void StorageCommands::put_in_force(const HoldChange &change, const WallClock &now) {
    if (!change.refusal.is_null()) return change.answer(change.refusal);
    if (change.next != holds_.held())
        log_.info((change.held ? "bundles for node " : "hold of bundles for node ") +
                  std::to_string(change.node.value()) +
                  (change.held ? " held in storage" : " ended") + ", by " + change.caller);
    holds_.take(change.next);
    requests_.send(bus::AgentId::kRouter, bus::DestinationHold{change.node, change.held});
    // Messages keep their order: a router that replies has the hold.
    const auto handle = [this, answer = change.answer](const auto &routes, const WallClock &) {
        if (routes) return answer(holds());
        answer(error_reply(Refusal::kUnavailable,
                           "the change is written, but the router does not reply; the change "
                           "applies when the router runs again"));
    };
    requests_.request_routes(handle, now);
}

void StorageCommands::publish_to_router() {
    for (const NodeNumber node : holds_.held())
        requests_.send(bus::AgentId::kRouter, bus::DestinationHold{node, true});
    requests_.send(bus::AgentId::kRouter, bus::DestinationHold{});
}

}  // namespace farlink::control
