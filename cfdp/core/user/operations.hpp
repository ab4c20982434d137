// SPDX-License-Identifier: Apache-2.0
// What entities do for each other beyond transactions: proxy puts, listings, status reports,
// suspend and resume. Both ends: what this user has asked of others, and what others ask here.
// Owned by the daemon, or a test; one thread. Entity and filestore are borrowed.
// No socket, no clock: ended transactions in, puts out.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>

#include "cfdp/core/entity.hpp"
#include "cfdp/core/user/messages.hpp"

namespace farlink::cfdp {

/// Of this user, named by the transaction that has carried it.
struct Operation {
    EntityId remote = 0;
    std::string kind{};  ///< "get", "ls", "report", "suspend", "resume"
    bool ended = false;
    bool done = false;
    ConditionCode condition = ConditionCode::kNoError;
    std::string state{};  ///< of the transaction that it is about
    std::string file{};   ///< that has come of it
};

class UserOperations {
public:
    using Put = std::function<Result<TransactionId, std::string>(const PutRequest &)>;
    using Asked = Result<TransactionId, std::string>;

    /// Operations that are remembered.
    static constexpr std::size_t kMostOperations = 10'000;
    /// Listings and reports under way, which are in memory. One of several entities has at most
    /// half of them.
    static constexpr std::size_t kMostContents = 16;
    /// Transactions under way that remote entities have asked for: an equal part for each. A
    /// quarter of it is for answers only.
    static constexpr std::size_t kMostForOthers = 5'000;

    UserOperations(EntityId local, Entity &entity, Filestore &filestore, Put put)
        : local_(local), entity_(entity), filestore_(filestore), put_(std::move(put)) {}

    struct Get {
        EntityId remote = 0;
        std::string source_name{};
        std::string destination_name{};
        std::optional<bool> acknowledged{};
    };
    /// The errors are texts for people.
    [[nodiscard]] Asked get(const Get &wanted);
    [[nodiscard]] Asked list(EntityId remote, const std::string &folder, const std::string &file);
    [[nodiscard]] Asked report(EntityId remote, const TransactionId &id, const std::string &file);
    [[nodiscard]] Asked change(EntityId remote, const TransactionId &id, bool resume);
    [[nodiscard]] const Operation *find(const TransactionId &id) const;

    /// Each that has ended, with its messages.
    void handle_ended(const Report &report, TimePoint now);
    /// By the entity that has asked: proxy puts, listings, reports and answers.
    [[nodiscard]] const Shortages &shortages() const { return shortages_; }

private:
    [[nodiscard]] Asked ask(EntityId remote, std::string kind,
                            const std::vector<UserMessage> &messages);
    [[nodiscard]] bool may(EntityId remote, Permission permission) const;
    [[nodiscard]] PutRequest request_to(EntityId remote) const;
    [[nodiscard]] Asked answer(EntityId remote, const TransactionId &asked,
                               const UserMessage &with);

    void handle_sent(const Report &report);
    void handle_received(const Report &report, TimePoint now);
    void handle_answer(const Report &report, const TransactionId &asked);
    [[nodiscard]] Operation *operation_of(const TransactionId &id, EntityId remote);

    void run(const ProxyPut &wanted, const Report &asked);
    void run(const ListingRequest &wanted, const Report &asked, TimePoint now);
    void run(const ReportRequest &wanted, const Report &asked, TimePoint now);
    void run(const ChangeRequest &wanted, const Report &asked, TimePoint now);
    void cancel_proxies(const Report &asked, const TransactionId &id, TimePoint now);
    [[nodiscard]] bool make_room_for_content(EntityId remote, TimePoint now);
    [[nodiscard]] bool send_content(const Report &asked, PutRequest request,
                                    const std::string &content, const UserMessage &with);
    enum class Purpose : std::uint8_t { kWork, kAnswer };
    /// What `remote` has asked for.
    [[nodiscard]] Asked put_for(EntityId remote, const PutRequest &request, Purpose purpose);

    EntityId local_;
    Entity &entity_;
    Filestore &filestore_;
    Put put_;
    std::map<TransactionId, Operation> operations_;
    std::deque<TransactionId> order_;
    struct ForOther {
        Places::Place place{};
        Places::Place content{};  ///< of a listing or report
    };
    std::map<TransactionId, ForOther> for_others_;  ///< under way
    Places places_;
    Places contents_;
    Shortages shortages_;
};

}  // namespace farlink::cfdp
