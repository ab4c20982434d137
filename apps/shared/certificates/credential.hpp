// SPDX-License-Identifier: Apache-2.0
// A certificate and its private key (ECDSA P-256), made for a test network or read from files.
// A value that owns both; any thread.
// The authority is for tests; a real network has one with a policy.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cla/tls/certificate_names.hpp"
#include "cla/tls/certificate_reader.hpp"
#include "common/base/result.hpp"

struct evp_pkey_st;

namespace farlink::certificates {

struct FreeCertificate {
    void operator()(x509_st *certificate) const;
};
using Certificate = std::unique_ptr<x509_st, FreeCertificate>;
struct FreeKey {
    void operator()(evp_pkey_st *key) const;
};
using Key = std::unique_ptr<evp_pkey_st, FreeKey>;

/// Unix seconds.
struct Validity {
    std::int64_t from_s = 0;
    std::int64_t to_s = 0;
};

/// The contents of a certificate.
struct NodeSpec {
    std::string common_name;  ///< cut off at the 64 octets that X.520 allows
    cla::CertificateNames names;
    std::vector<std::string> uris;  ///< names in the older form of a node id
    /// Extended key usage as dotted numbers: for bundle nodes, and for TLS clients and servers, on
    /// which some implementations insist (RFC 9174 section 4.4.2). Empty: none.
    std::vector<std::string> purposes{cla::kBundleSecurityOid, "1.3.6.1.5.5.7.3.2",
                                      "1.3.6.1.5.5.7.3.1"};
    Validity validity;
};

class Credential {
public:
    /// A self-signed authority.
    [[nodiscard]] static Credential make_authority(const std::string &name, Validity validity);
    /// Reads both files; the error names the file and the reason.
    [[nodiscard]] static Result<Credential, std::string> read(const std::string &certificate_file,
                                                              const std::string &key_file);

    /// A certificate of this authority with a fresh key. `spec.names.addresses` are IP addresses.
    [[nodiscard]] Credential issue(const NodeSpec &spec) const;

    /// The revocation list of this authority, in PEM form: the entries of `former` (a list in PEM
    /// form, or empty) and the serial numbers of `revoked`. Its number is one above the former one.
    [[nodiscard]] Result<std::string, std::string> revoke(const std::string &former,
                                                          const std::vector<Certificate> &revoked,
                                                          Validity validity) const;

    [[nodiscard]] std::string certificate_pem() const;
    [[nodiscard]] std::string key_pem() const;
    [[nodiscard]] x509_st &certificate() const { return *certificate_; }

private:
    Credential(Certificate certificate, Key key)
        : certificate_(std::move(certificate)), key_(std::move(key)) {}

    Certificate certificate_;
    Key key_;
};

/// The certificates of a PEM file, in its order; the error names the file and the reason.
[[nodiscard]] Result<std::vector<Certificate>, std::string> read_certificates(
    const std::string &file);
/// From an hour ago, since the clocks of a network differ a little.
[[nodiscard]] Validity days_from_now(int days);
[[nodiscard]] Validity validity_of(const x509_st &certificate);
[[nodiscard]] bool is_authority(x509_st &certificate);
/// "CN = farlink test authority"
[[nodiscard]] std::string issuer_of(const x509_st &certificate);
[[nodiscard]] std::string subject_of(const x509_st &certificate);

}  // namespace farlink::certificates
