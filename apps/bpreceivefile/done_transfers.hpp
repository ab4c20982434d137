// SPDX-License-Identifier: Apache-2.0
// The transfers that have ended last: their pieces may be given again.
// Owned by FileWriter; one thread. A file of 16 octets each, oldest first.
// Errors are errno values; 0: done.
#pragma once

#include <deque>
#include <string>
#include <unordered_set>

#include "apps/shared/files/file_adu.hpp"
#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::bpreceivefile {

class DoneTransfers {
public:
    static constexpr std::size_t kMost = 65'536;

    [[nodiscard]] static Result<DoneTransfers, int> open(int folder);
    /// `key`: the id in hexadecimal digits.
    [[nodiscard]] bool contains(const std::string &key) const { return keys_.contains(key); }
    void add(const std::string &key);
    /// What was added is on disk.
    [[nodiscard]] int sync();

private:
    explicit DoneTransfers(int folder) : folder_(folder) {}
    [[nodiscard]] int load();
    void remember(const std::string &key);
    [[nodiscard]] int rewrite();

    int folder_;
    FileDescriptor file_;
    std::uint64_t file_bytes_ = 0;
    Bytes unwritten_;
    std::unordered_set<std::string> keys_;
    std::deque<std::string> order_;
};

}  // namespace farlink::bpreceivefile
