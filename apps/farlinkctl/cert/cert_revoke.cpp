// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/cert/cert_revoke.hpp"

#if FARLINK_TLS

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "apps/farlinkctl/shared/exit_code.hpp"
#include "apps/shared/certificates/credential.hpp"
#include "apps/shared/certificates/pem_file.hpp"

namespace farlink::ctl {
namespace {

using certificates::Certificate;
using certificates::Credential;
using certificates::days_from_now;

/// The list as it is; empty without one.
Result<std::string, std::string> read_list(const std::string &file) {
    if (!std::filesystem::exists(file)) return std::string();
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return fail(file + ": cannot be read");
    return std::string(std::istreambuf_iterator<char>(stream), {});
}

Result<std::vector<Certificate>, std::string> read_leaves(const std::vector<std::string> &files) {
    std::vector<Certificate> leaves;
    for (const std::string &file : files) {
        auto found = certificates::read_certificates(file);
        if (!found) return fail(std::move(found.error()));
        leaves.push_back(std::move(found->front()));
    }
    return leaves;
}

Result<void, std::string> revoke_all(const CertRevokeOptions &options) {
    const std::filesystem::path directory(options.directory);
    const auto authority = Credential::read(directory / "ca.pem", directory / "ca.key");
    if (!authority) return fail(authority.error());
    const auto leaves = read_leaves(options.files);
    if (!leaves) return fail(leaves.error());
    const std::string file = directory / "crl.pem";
    const auto former = read_list(file);
    if (!former) return fail(former.error());
    auto list = authority->revoke(*former, *leaves, days_from_now(options.days));
    if (!list) return fail(file + ": " + list.error());
    if (std::string why = certificates::write_whole({.path = file, .text = std::move(*list)});
        !why.empty())
        return fail(std::move(why));
    std::printf("%s\n", file.c_str());
    return {};
}

}  // namespace

int revoke_certificates(const CertRevokeOptions &options) {
    const auto made = revoke_all(options);
    if (made) return kExitClean;
    std::fprintf(stderr, "farlinkctl: %s\n", made.error().c_str());
    return kExitFailed;
}

}  // namespace farlink::ctl

#endif  // FARLINK_TLS
