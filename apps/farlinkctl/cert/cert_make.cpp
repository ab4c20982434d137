// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/cert/cert_make.hpp"

#if FARLINK_TLS

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include "apps/farlinkctl/shared/exit_code.hpp"
#include "apps/shared/certificates/credential.hpp"
#include "apps/shared/certificates/pem_file.hpp"
#include "cla/api/node_id.hpp"

namespace farlink::ctl {
namespace {

using certificates::Credential;
using certificates::days_from_now;
using certificates::PemFile;
using certificates::Secrecy;

constexpr int kAuthorityDays = 3'650;
constexpr const char *kAuthorityName = "farlink test authority";

/// "ipn:10.0" as "ipn-10", "dtn://node/" as "dtn-node".
std::string stem_of(const bp::EidView &node) {
    std::string text = bp::to_string(node);
    if (node.scheme == bp::EidScheme::kIpn) text.resize(text.rfind('.'));
    std::string stem;
    for (const char c : text) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z') || c == '.' || c == '_';
        if (plain)
            stem += c;
        else if (!stem.ends_with('-'))
            stem += '-';
    }
    if (stem.ends_with('-')) stem.pop_back();
    return stem;
}

/// Writes a certificate and its key; returns an error, empty on success.
std::string write_pair(const std::string &stem, const Credential &made) {
    // The key is written first: a node that reads in between keeps its old pair.
    const std::array files{PemFile{stem + ".key", made.key_pem(), Secrecy::kPrivate},
                           PemFile{stem + ".pem", made.certificate_pem(), Secrecy::kPublic}};
    for (const PemFile &file : files) {
        if (std::string why = certificates::write_whole(file); !why.empty()) return why;
        std::printf("%s\n", file.path.c_str());
    }
    return {};
}

Result<Credential, std::string> use_authority(const std::filesystem::path &directory, int days) {
    const std::string stem = directory / "ca";
    if (std::filesystem::exists(stem + ".pem") || std::filesystem::exists(stem + ".key")) {
        auto found = Credential::read(stem + ".pem", stem + ".key");
        if (found &&
            certificates::validity_of(found->certificate()).to_s < days_from_now(days).to_s)
            return fail(stem + ".pem: the certificate of the authority expires in less than " +
                        std::to_string(days) +
                        " days; use fewer days, or make a new authority in another folder");
        return found;
    }
    Credential made =
        Credential::make_authority(kAuthorityName, days_from_now(std::max(days, kAuthorityDays)));
    if (std::string why = write_pair(stem, made); !why.empty()) return fail(std::move(why));
    return made;
}

/// One certificate a node, also when it is named twice or in two forms.
std::vector<bp::Eid> nodes_of(const CertMakeOptions &options) {
    std::vector<bp::Eid> nodes;
    for (const std::string &text : options.nodes) {
        const auto id = cla::read_node_id(text);
        if (id && std::ranges::find(nodes, id->node) == nodes.end()) nodes.push_back(id->node);
    }
    return nodes;
}

Result<void, std::string> make_all(const CertMakeOptions &options) {
    const std::filesystem::path directory(options.directory);
    const std::vector<bp::Eid> nodes = nodes_of(options);
    for (const bp::Eid &node : nodes)
        for (const char *const ending : {".pem", ".key"}) {
            const std::string file = directory / (stem_of(node.view()) + ending);
            if (!options.force && std::filesystem::exists(file))
                return fail(file + ": already exists; --force replaces it");
        }
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) return fail(options.directory + ": " + error.message());
    const auto authority = use_authority(directory, options.days);
    if (!authority) return fail(authority.error());
    for (const bp::Eid &node : nodes) {
        certificates::NodeSpec spec;
        spec.common_name = node.to_string();
        spec.names = {{node.to_string()}, options.dns_names, options.addresses};
        spec.validity = days_from_now(options.days);
        const std::string stem = directory / stem_of(node.view());
        if (std::string why = write_pair(stem, authority->issue(spec)); !why.empty())
            return fail(std::move(why));
    }
    return {};
}

}  // namespace

int make_certificates(const CertMakeOptions &options) {
    const auto made = make_all(options);
    if (made) return kExitClean;
    std::fprintf(stderr, "farlinkctl: %s\n", made.error().c_str());
    return kExitFailed;
}

}  // namespace farlink::ctl

#endif  // FARLINK_TLS
