// SPDX-License-Identifier: Apache-2.0
// The ids of ADUs that a receiver holds or has accepted recently. Not installed.
// Owned by a Receiver.
// One thread.
// Ids are hashed with a secret of the process: no sender can choose one that equals another's, and
// two of those that are remembered are alike by chance once in 2^44 ADUs. The lowest bits of a hash
// are those of the sequence number, so that ADUs that come one behind the other lie together.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <farlink/client/types.hpp>

namespace farlink::client {

class ReceivedIds {
public:
    /// Of an ADU; 0: it has no identity, because it has no source or is a status report.
    using Key = std::uint64_t;
    /// The value of a key: the number under which the ADU is held, or this.
    static constexpr std::uint64_t kAccepted = 0;
    /// Accepted ADUs that are remembered.
    static constexpr std::size_t kMostAccepted = 65'536;

    ReceivedIds();

    [[nodiscard]] Key key_of(const Adu &adu) const;
    /// Null: not remembered. Valid until the next change.
    [[nodiscard]] const std::uint64_t *find(Key key) const;
    /// One that is not remembered is held from now on.
    void hold(Key key, std::uint64_t number);
    /// One that is held is accepted from now on.
    void accept(Key key);

private:
    struct Slot {
        Key key = 0;  ///< 0: free
        std::uint64_t number = 0;
    };
    [[nodiscard]] std::size_t place_of(Key key) const;
    void erase(Key key);
    void grow();

    std::array<std::uint64_t, 2> secret_;
    std::vector<Slot> slots_;  ///< a power of two, at most half of them in use
    std::size_t used_ = 0;
    std::vector<Key> accepted_;  ///< a ring, once it is full
    std::size_t oldest_ = 0;
};

}  // namespace farlink::client
