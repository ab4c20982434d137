// SPDX-License-Identifier: Apache-2.0
// What is to be sent, and what it consists of.
// Values that go from a reader of files to a sender, and belong to one of them.
// Any thread; the state of a file that several of them share is guarded by the Ledger.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/shared/files/file_adu.hpp"
#include "apps/shared/files/sent_book.hpp"
#include "common/base/bytes.hpp"
#include "common/files/extents.hpp"

namespace farlink::bpsendfile {

/// A file or a folder to be sent.
struct Source {
    std::string path{};
    std::string name{};  ///< for the receiver
    bool folder = false;
    std::uint32_t mode = 0;  ///< of a folder
};

/// A file that is sent in pieces.
struct LargeFile {
    std::string name{};
    files::FileVersion version{};
    files::TransferId transfer{};
    files::Digest digest{};
    std::uint64_t under_way = 0;  ///< pieces without an answer
    bool read = false;            ///< to its end
    bool failed = false;
};

/// A file or a folder in an ADU with others.
struct SmallFile {
    std::string name{};
    files::FileVersion version{};
    files::Digest digest{};
    bool folder = false;
};

/// An ADU.
struct Parcel {
    Bytes payload{};
    std::shared_ptr<LargeFile> file{};  ///< null: small ones
    files::Extent extent{};
    std::vector<SmallFile> small{};
};

}  // namespace farlink::bpsendfile
