// SPDX-License-Identifier: Apache-2.0
// The file that has what was sent, for the next run.
// Owned by the Ledger, under its lock.
// It only claims what the node has accepted: what a cut takes from its end is sent again.
#pragma once

#include <string>

#include "apps/shared/files/sent_book.hpp"
#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::bpsendfile {

class StateFile {
public:
    /// Without a file.
    StateFile() = default;
    /// Loads the book and writes the file anew, without what is out of date. The error is a text
    /// for people.
    [[nodiscard]] static Result<StateFile, std::string> open(const std::string &path,
                                                             files::SentBook &book);
    /// The error; empty: written.
    [[nodiscard]] std::string append(ByteView records);

private:
    std::string path_;
    FileDescriptor locked_;
    FileDescriptor file_;
};

}  // namespace farlink::bpsendfile
