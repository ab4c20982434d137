// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/gateway/lease_pool.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "common/base/hex.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/runtime/entropy.hpp"
#include "module/telemetry/api/request/problem.hpp"
#include "module/telemetry/gateway/app_answers.hpp"

namespace farlink::telemetry {
namespace {

/// A payload up to this size leaves with the head of its answer.
constexpr std::size_t kCopiedBytes = 64 * 1024;
constexpr std::size_t kLeaseOctets = 16;

/// Octets that count until their answer is written.
class HeldPayload {
public:
    HeldPayload(std::shared_ptr<HeldOctets> held, std::vector<std::uint8_t> octets)
        : held_(std::move(held)), octets_(std::move(octets)) {
        held_->keep(octets_.size());
    }
    HeldPayload(const HeldPayload &) = delete;
    HeldPayload &operator=(const HeldPayload &) = delete;
    ~HeldPayload() { held_->give_back(octets_.size()); }
    [[nodiscard]] const std::vector<std::uint8_t> &octets() const { return octets_; }

private:
    std::shared_ptr<HeldOctets> held_;
    std::vector<std::uint8_t> octets_;
};

std::string new_lease() {
    std::array<std::uint8_t, kLeaseOctets> octets{};
    fill_random(octets);
    return hex_text(octets);
}

Answer too_many(const char *detail) {
    Answer answer = problem(429, detail);
    answer.headers.emplace_back("Retry-After", "1");
    return answer;
}

}  // namespace

LeasePool::~LeasePool() {
    for (const Entry &entry : receivers_) entry.receiver->end();
}

std::shared_ptr<void> LeasePool::receive(const ReceiveRequest &request, const std::string &socket,
                                         client::Registration registration, Reply reply) {
    forget_ended();
    auto receiver = idle_receiver(request);
    if (!receiver) {
        const auto his = std::ranges::count(receivers_, request.token, &Entry::token);
        if (receivers_.size() >= kMostReceivers || std::cmp_greater_equal(his, kMostOfToken)) {
            reply(too_many("too many clients receive or hold leases; try again"));
            return nullptr;
        }
        receiver = std::make_shared<LeaseReceiver>(io_, std::move(registration), *held_);
        receivers_.push_back({receiver, request.token});
        receiver->start(socket);
    }
    return receiver->poll(request.wait, request.lease,
                          [this, weak = std::weak_ptr(receiver), lease = request.lease,
                           reply = std::move(reply)](LeaseReceiver::Outcome outcome) {
                              if (!outcome) return reply(answer_of(outcome.error()));
                              if (!*outcome) return reply({204, {}, {}, {}, {}});
                              reply(give(weak, std::move(**outcome), lease));
                          });
}

std::shared_ptr<LeaseReceiver> LeasePool::idle_receiver(const ReceiveRequest &request) {
    const auto found = std::ranges::find_if(receivers_, [&](const Entry &entry) {
        return entry.receiver->state() == LeaseReceiver::State::kIdle &&
               entry.receiver->endpoint() == request.endpoint && entry.token == request.token;
    });
    return found == receivers_.end() ? nullptr : found->receiver;
}

void LeasePool::forget_ended() {
    std::erase_if(receivers_, [](const Entry &entry) {
        return entry.receiver->state() == LeaseReceiver::State::kEnded;
    });
    std::erase_if(leases_, [](const auto &lease) { return lease.second.expired(); });
}

Answer LeasePool::give(const std::weak_ptr<LeaseReceiver> &receiver, client::Adu adu,
                       Duration ends) {
    const std::string lease = new_lease();
    leases_.emplace(lease, receiver);
    Answer answer = lease_answer(adu, lease, ends);
    const std::size_t size = adu.payload.size();
    if (size <= kCopiedBytes) {
        answer.body.assign(adu.payload.begin(), adu.payload.end());
        return answer;
    }
    const auto payload = std::make_shared<HeldPayload>(held_, std::move(adu.payload));
    answer.octets = {payload, &payload->octets()};
    return answer;
}

Answer LeasePool::accept(const AcceptRequest &request) {
    const auto found = leases_.find(request.lease);
    const auto receiver = found == leases_.end() ? nullptr : found->second.lock();
    if (!receiver || receiver->state() != LeaseReceiver::State::kLeased)
        return problem(
            404, "no such lease: the lease has ended, and the bundle will be delivered again");
    const auto endpoint = bp::Eid::parse(receiver->endpoint());
    if (!endpoint || !request.rights->may_receive(endpoint->view()))
        return problem(403, "the token may not receive at the endpoint of this lease");
    leases_.erase(found);
    receiver->accept();
    return {204, {}, {}, {}, {}};
}

}  // namespace farlink::telemetry
