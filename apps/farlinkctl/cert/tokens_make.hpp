// SPDX-License-Identifier: Apache-2.0
// `farlinkctl tokens make`: a token for the HTTP API of a node.
// A plain function; main()'s thread.
// It returns the exit code.
#pragma once

#include <string>

namespace farlink::ctl {

struct TokensMakeOptions {
    std::string file;
    std::string role;
    std::string name;  ///< empty: made of the role and the digest
};

/// Prints the token, which nobody can read again, and adds its digest to the file, which is made
/// when it is missing. A node that has the file open takes it at once.
[[nodiscard]] int make_token(const TokensMakeOptions &options);

}  // namespace farlink::ctl
