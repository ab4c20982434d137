// SPDX-License-Identifier: Apache-2.0
// The transactions of an entity in one file that grows: requests, states of receivers, ends.
// Owned by EntityState; one thread, while another one may flush the file.
// A record is on disk once the file is flushed, and then all records before it are. When most of
// the file is out of date it is written anew. Errors are errno values; 0: done.
#pragma once

#include <cstdint>
#include <map>

#include "cfdp/core/ended_numbers.hpp"
#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::cfdp {

class StateJournal {
public:
    /// Kept until the transaction has ended.
    enum class Kind : std::uint8_t { kPut = 1, kState = 2 };
    /// Where the latest record of a transaction is.
    struct Place {
        std::uint64_t offset = 0;
        std::size_t size = 0;
    };
    using Places = std::map<TransactionId, Place>;
    /// A longer one is written anew when less than half of it is of use, and it has become twice as
    /// long: the numbers of what was delivered may be long themselves.
    static constexpr std::uint64_t kLongJournal = 16 * 1024 * 1024;

    /// ENOTSUP: of a later version, or no journal.
    [[nodiscard]] static Result<StateJournal, int> open(int folder);

    [[nodiscard]] int save(Kind kind, const TransactionId &id, ByteView content);
    /// The records of what has ended come together with end_all().
    void add_end(const TransactionId &id, bool delivered);
    void add_delivered(EntityId source, files::Extent numbers);
    [[nodiscard]] int end_all();
    /// What is in it without what is out of date, on disk.
    [[nodiscard]] int rewrite();
    /// The same after open(). If there is no room for it, the file that is there stays, without a
    /// torn end.
    [[nodiscard]] int begin();
    /// The same if it pays.
    [[nodiscard]] int rewrite_if_long();

    [[nodiscard]] const Places &places(Kind kind) const {
        return kind == Kind::kPut ? puts_ : states_;
    }
    /// Empty: it cannot be read.
    [[nodiscard]] Bytes read(const Place &place) const;
    [[nodiscard]] const EndedNumbers &delivered() const { return delivered_; }
    /// The file once more, to be flushed by another thread. None: errno has the reason.
    [[nodiscard]] FileDescriptor file() const;
    /// 0: all so far is on disk.
    [[nodiscard]] int flush() const;

private:
    explicit StateJournal(int folder) : folder_(folder) {}
    [[nodiscard]] int load();
    void load_record(ByteView content, Place place);
    /// 0: it is at the end of the file.
    [[nodiscard]] int write(ByteView records);
    [[nodiscard]] std::uint64_t live_octets() const;
    void forget(const TransactionId &id);
    [[nodiscard]] Places &places_of(Kind kind) { return kind == Kind::kPut ? puts_ : states_; }
    [[nodiscard]] Bytes fresh_content(Places &puts, Places &states) const;
    void append_fresh(Bytes &to, const Places &from, Places &placed) const;

    int folder_;
    FileDescriptor file_;
    std::uint64_t size_ = 0;
    std::uint64_t live_ = 0;  ///< octets of the records in places
    std::uint64_t rewrite_at_ = kLongJournal;
    Places puts_;
    Places states_;
    EndedNumbers delivered_;
    Bytes ends_;  ///< records of add_end() and add_delivered()
};

}  // namespace farlink::cfdp
