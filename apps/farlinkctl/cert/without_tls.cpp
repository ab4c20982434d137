// SPDX-License-Identifier: Apache-2.0
// `farlinkctl cert` of a build without OpenSSL: it refuses every command.
#if !FARLINK_TLS

#include <cstdio>

#include "apps/farlinkctl/cert/cert_make.hpp"
#include "apps/farlinkctl/cert/cert_revoke.hpp"
#include "apps/farlinkctl/cert/cert_show.hpp"
#include "apps/farlinkctl/shared/exit_code.hpp"

namespace farlink::ctl {
namespace {

int refuse() {
    std::fputs("farlinkctl: this build has no TLS and does not support certificates\n", stderr);
    return kExitFailed;
}

}  // namespace

int make_certificates(const CertMakeOptions &) {
    return refuse();
}

int revoke_certificates(const CertRevokeOptions &) {
    return refuse();
}

int show_certificates(const std::vector<std::string> &) {
    return refuse();
}

}  // namespace farlink::ctl

#endif  // !FARLINK_TLS
