// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/bundle_commands.hpp"

#include <utility>

#include "common/bp/parse.hpp"
#include "module/control/core/json/past_bundles.hpp"
#include "module/control/core/json/replies.hpp"
#include "module/control/core/json/storage_replies.hpp"

namespace farlink::control {
namespace {

using Json = BundleCommands::Json;

/// As many heads as storage reads for one list.
constexpr std::uint32_t kRowsAtOnce = 128;

/// The id of a stored bundle, as far as its head has it.
std::optional<bp::BundleId> stored_id(const bus::StoredBundle &bundle) {
    if (bundle.head.empty()) return std::nullopt;
    const auto view = bp::parse_primary(bundle.head);
    if (!view) return std::nullopt;
    return bp::id_of(*view);
}

/// Parsed and checked; an error is the reply.
struct FindOrder {
    history::BundleQuery query;
    std::size_t limit = BundleCommands::kUsualRows;
};
Result<FindOrder, Json> read_find(const Json &request) {
    FindOrder asked;
    const auto id = request.find("id");
    const auto query = id != request.end() && id->is_string()
                           ? history::parse_bundle_query(id->get<std::string>())
                           : std::nullopt;
    if (!query)
        return fail(error_reply(Refusal::kInvalid,
                                "`id`: expected SOURCE/TIME/SEQUENCE, with /OFFSET+LENGTH for a "
                                "fragment, or only a source, such as ipn:10.1"));
    asked.query = *query;
    const auto limit = request.find("limit");
    if (limit == request.end()) return asked;
    if (!limit->is_number_unsigned() || *limit == 0U ||
        limit->get<std::uint64_t>() > BundleCommands::kMostRows)
        return fail(error_reply(Refusal::kInvalid, "`limit`: expected a whole number from 1 to " +
                                                       std::to_string(BundleCommands::kMostRows)));
    asked.limit = limit->get<std::size_t>();
    return asked;
}

}  // namespace

/// One command, and what was found so far.
struct BundleCommands::Search {
    std::string id;
    history::BundleQuery query;
    std::size_t limit;
    Answer answer;
    bus::StoreRequest request{};
    history::FoundBundles past{};
    Json held = Json::array();
    std::uint64_t searched = 0;  ///< bundles of the store
    bool more = false;           ///< the store has further ones
    std::string error{};         ///< of storage

    [[nodiscard]] bool of_one_bundle() const { return query.sequence.has_value(); }
};

void BundleCommands::find(const Json &request, const Answer &answer, const WallClock &now) {
    const auto asked = read_find(request);
    if (!asked) return answer(asked.error());
    const auto search = std::make_shared<Search>(Search{.id = request["id"].get<std::string>(),
                                                        .query = asked->query,
                                                        .limit = asked->limit,
                                                        .answer = answer});
    if (search->of_one_bundle()) {
        search->request.verb = bus::StoreVerb::kFind;
        search->request.destination = Bytes(search->id.begin(), search->id.end());
    }
    search->request.limit = kRowsAtOnce;
    ask_storage(search, now);
}

void BundleCommands::ask_storage(const std::shared_ptr<Search> &search, const WallClock &now) {
    const auto handle = [=, this](const auto &reply, const WallClock &later) {
        if (!reply)
            search->error = "storage does not reply; `status` lists the states of the modules";
        else if (!reply->error.empty())
            search->error = std::string(as_text(reply->error));
        else
            take_stored(*search, *reply);
        const bool goes_on = reply && search->error.empty() && search->more &&
                             search->searched < kMostSearched &&
                             search->held.size() < search->limit;
        if (goes_on) return ask_storage(search, later);
        search_history(search);
    };
    requests_.request_store(search->request, handle, now);
}

// After storage, so that a bundle that leaves meanwhile is found in both, not in neither.
void BundleCommands::search_history(const std::shared_ptr<Search> &search) {
    const bool taken = work_.add(
        [this, search](const std::stop_token &) {
            search->past = find_past_(search->query, search->limit);
        },
        [search](const WallClock &) { finish(*search); });
    if (!taken) search->answer(too_many_long_replies());
}

void BundleCommands::take_stored(Search &search, const bus::StoreReply &reply) const {
    search.more = reply.more;
    search.request.after = reply.last;
    search.searched += reply.bundles.size();
    for (const bus::StoredBundle &bundle : reply.bundles) {
        const auto id = stored_id(bundle);
        if (!search.of_one_bundle() && (!id || !search.query.matches(*id))) continue;
        if (search.held.size() < search.limit)
            search.held.push_back(stored_json(bundle, config_.storage));
    }
}

void BundleCommands::finish(const Search &search) {
    Json reply{{"ok", true}, {"id", search.id}, {"held", search.held}};
    if (!search.error.empty()) reply["heldError"] = search.error;
    if (!search.of_one_bundle()) {
        reply["heldSearched"] = search.searched;
        reply["heldMore"] = search.more;
    }
    reply["past"] = past_json(search.past);
    reply["more"] = search.past.more;
    reply["history"] = history_json(search.past);
    search.answer(reply);
}

}  // namespace farlink::control
