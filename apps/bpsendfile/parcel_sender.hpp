// SPDX-License-Identifier: Apache-2.0
// Sends ADUs by a connection of its own, several at a time, until the node has accepted them.
// One for each thread; queues, ledger and interruption are shared and borrowed.
// What the node has no room for now is sent again as the same bundle.
#pragma once

#include <chrono>
#include <farlink/client/endpoint.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/bpsendfile/file_reader.hpp"
#include "apps/bpsendfile/ledger.hpp"
#include "apps/shared/messages/interruption.hpp"

namespace farlink::bpsendfile {

struct SendTask {
    std::string destination{};
    client::SendOptions with{};
    std::optional<std::chrono::milliseconds> timeout{};
    std::size_t together = 4;  ///< ADUs of one call
};

class ParcelSender {
public:
    ParcelSender(client::Endpoint &endpoint, const SendTask &task, Queues &queues, Ledger &ledger,
                 const messages::Interruption &interruption)
        : endpoint_(endpoint),
          task_(task),
          queues_(queues),
          ledger_(ledger),
          interruption_(interruption) {}

    /// Until there are no more parcels, or the connection is lost.
    void run();

private:
    struct Pending {
        Parcel parcel{};
        std::optional<client::BundleId> id{};  ///< once it was sent
    };
    void fill(std::vector<Pending> &batch, Parcel first);
    /// What is to be sent again is left.
    void send(std::vector<Pending> &batch);
    /// False: it is to be sent again.
    [[nodiscard]] bool handle_answer(Pending &pending, const client::Sent &sent);
    void give_up(const std::string &error);
    void pause();

    client::Endpoint &endpoint_;
    const SendTask &task_;
    Queues &queues_;
    Ledger &ledger_;
    const messages::Interruption &interruption_;
    int pause_ms_ = 0;
    bool ended_ = false;
};

}  // namespace farlink::bpsendfile
