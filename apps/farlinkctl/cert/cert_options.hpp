// SPDX-License-Identifier: Apache-2.0
// The command line of `farlinkctl cert`, `keys` and `tokens`.
// Filled by read_options().
// A value.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace farlink::ctl {

enum class CertVerb : std::uint8_t {
    kNone,  ///< none of these was given
    kCertMake,
    kCertRevoke,
    kCertShow,
    kKeysMake,
    kTokensMake,
};

/// `cert make`
struct CertMakeOptions {
    std::string directory;
    std::vector<std::string> nodes;
    std::vector<std::string> dns_names;
    std::vector<std::string> addresses;
    int days = 365;
    bool force = false;
};

/// `cert revoke`
struct CertRevokeOptions {
    std::string directory;
    std::vector<std::string> files;
    int days = 30;
};

/// `tokens make`
struct TokensMakeOptions {
    std::string file;
    std::string role;
    std::string name;                  ///< empty: made from the role and the digest
    std::vector<std::string> receive;  ///< endpoints or patterns
    std::vector<std::string> send_as;
    std::vector<std::string> send_to;
};

struct CertOptions {
    CertVerb verb = CertVerb::kNone;
    CertMakeOptions make;
    CertRevokeOptions revoke;
    std::vector<std::string> show;  ///< `cert show`: files
    std::string keys_folder;        ///< `keys make`
    TokensMakeOptions token;
};

/// Adds the commands to `app`.
void add_cert_commands(CLI::App &app, CertOptions &options);

}  // namespace farlink::ctl
