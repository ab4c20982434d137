// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/certificates/credential.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <array>
#include <cerrno>
#include <ctime>

#include "cla/tls/tls_error.hpp"
#include "common/base/bytes.hpp"
#include "common/base/invariant.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::certificates {
namespace {

constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::int64_t kBackdatedSeconds = 3'600;

using Bio = std::unique_ptr<BIO, decltype(&BIO_free_all)>;
struct FreeGeneralNames {
    void operator()(GENERAL_NAMES *names) const { GENERAL_NAMES_free(names); }
};
struct FreeGeneralName {
    void operator()(GENERAL_NAME *name) const { GENERAL_NAME_free(name); }
};
struct FreePurposes {
    void operator()(EXTENDED_KEY_USAGE *purposes) const { EXTENDED_KEY_USAGE_free(purposes); }
};
using GeneralNames = std::unique_ptr<GENERAL_NAMES, FreeGeneralNames>;

/// These calls fail only without memory.
template <class Pointer>
Pointer must(Pointer pointer) {
    FARLINK_INVARIANT(pointer != nullptr);
    return pointer;
}
void must_be(int result) {
    FARLINK_INVARIANT(result == 1);
}

template <class String>
String *make_string(String *string, const std::string &text) {
    must_be(ASN1_STRING_set(must(string), text.data(), static_cast<int>(text.size())));
    return string;
}

void push(GENERAL_NAMES &names, std::unique_ptr<GENERAL_NAME, FreeGeneralName> name) {
    FARLINK_INVARIANT(sk_GENERAL_NAME_push(&names, name.get()) > 0);
    static_cast<void>(name.release());
}

void add_text(GENERAL_NAMES &names, int kind, const std::string &text) {
    std::unique_ptr<GENERAL_NAME, FreeGeneralName> name(must(GENERAL_NAME_new()));
    GENERAL_NAME_set0_value(name.get(), kind, make_string(ASN1_IA5STRING_new(), text));
    push(names, std::move(name));
}

/// RFC 9174 section 4.4.2.1.
void add_node_id(GENERAL_NAMES &names, const std::string &node_id) {
    std::unique_ptr<GENERAL_NAME, FreeGeneralName> name(must(GENERAL_NAME_new()));
    ASN1_TYPE *const value = must(ASN1_TYPE_new());
    ASN1_TYPE_set(value, V_ASN1_IA5STRING, make_string(ASN1_IA5STRING_new(), node_id));
    must_be(
        GENERAL_NAME_set0_othername(name.get(), must(OBJ_txt2obj(cla::kBundleEidOid, 1)), value));
    push(names, std::move(name));
}

void add_address(GENERAL_NAMES &names, const std::string &address) {
    std::unique_ptr<GENERAL_NAME, FreeGeneralName> name(must(GENERAL_NAME_new()));
    GENERAL_NAME_set0_value(name.get(), GEN_IPADD, must(a2i_IPADDRESS(address.c_str())));
    push(names, std::move(name));
}

void set_names(X509 &certificate, const NodeSpec &spec) {
    const GeneralNames names(must(GENERAL_NAMES_new()));
    for (const std::string &node_id : spec.names.node_ids) add_node_id(*names, node_id);
    for (const std::string &name : spec.names.dns_names) add_text(*names, GEN_DNS, name);
    for (const std::string &uri : spec.uris) add_text(*names, GEN_URI, uri);
    for (const std::string &address : spec.names.addresses) add_address(*names, address);
    if (sk_GENERAL_NAME_num(names.get()) == 0) return;
    must_be(
        X509_add1_ext_i2d(&certificate, NID_subject_alt_name, names.get(), 0, X509V3_ADD_APPEND));
}

void set_purposes(X509 &certificate, const std::vector<std::string> &oids) {
    if (oids.empty()) return;
    const std::unique_ptr<EXTENDED_KEY_USAGE, FreePurposes> purposes(
        must(EXTENDED_KEY_USAGE_new()));
    for (const std::string &oid : oids)
        sk_ASN1_OBJECT_push(purposes.get(), must(OBJ_txt2obj(oid.c_str(), 1)));
    must_be(
        X509_add1_ext_i2d(&certificate, NID_ext_key_usage, purposes.get(), 0, X509V3_ADD_APPEND));
}

void set_extension(X509 &certificate, X509 &issuer, int kind, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
        must(X509V3_EXT_conf_nid(nullptr, &context, kind, value)), &X509_EXTENSION_free);
    must_be(X509_add_ext(&certificate, extension.get(), -1));
}

void set_serial(X509 &certificate) {
    std::array<std::uint8_t, 16> octets;
    fill_random(octets);
    octets[0] &= 0x7f;  // RFC 5280 section 4.1.2.2: positive
    const std::unique_ptr<BIGNUM, decltype(&BN_free)> number(
        must(BN_bin2bn(octets.data(), static_cast<int>(octets.size()), nullptr)), &BN_free);
    must(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(&certificate)));
}

void set_subject(X509 &certificate, std::string_view common_name) {
    if (common_name.empty()) return;
    const ByteView text = as_bytes(common_name.substr(0, ub_common_name));
    must_be(X509_NAME_add_entry_by_NID(X509_get_subject_name(&certificate), NID_commonName,
                                       MBSTRING_UTF8, text.data(), static_cast<int>(text.size()),
                                       -1, 0));
}

// What EVP_EC_gen() stands for, without its C cast.
Key make_key() {
    return Key(must(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")));
}

/// All but extensions, issuer and signature.
Certificate make_certificate(const std::string &name, Validity validity, EVP_PKEY *key) {
    Certificate made(must(X509_new()));
    must_be(X509_set_version(made.get(), X509_VERSION_3));
    set_serial(*made);
    set_subject(*made, name);
    must(ASN1_TIME_set(X509_getm_notBefore(made.get()), validity.from_s));
    must(ASN1_TIME_set(X509_getm_notAfter(made.get()), validity.to_s));
    must_be(X509_set_pubkey(made.get(), key));
    return made;
}

void sign(X509 &certificate, EVP_PKEY *key) {
    FARLINK_INVARIANT(X509_sign(&certificate, key, EVP_sha256()) > 0);
}

std::string text_of(BIO *bio) {
    char *data = nullptr;
    // What BIO_get_mem_data() stands for, without its C cast.
    const long size = BIO_ctrl(bio, BIO_CTRL_INFO, 0, &data);
    return {data, static_cast<std::size_t>(size)};
}

Bio memory() {
    return {must(BIO_new(BIO_s_mem())), &BIO_free_all};
}

Result<Bio, std::string> open_file(const std::string &file) {
    errno = 0;
    Bio bio(BIO_new_file(file.c_str(), "r"), &BIO_free_all);
    if (bio) return bio;
    ERR_clear_error();
    return fail(file + ": " + cla::system_error_text(errno));
}

// ---- revocation lists (RFC 5280 section 5)

struct FreeList {
    void operator()(X509_CRL *list) const { X509_CRL_free(list); }
};
using List = std::unique_ptr<X509_CRL, FreeList>;
struct FreeInteger {
    void operator()(ASN1_INTEGER *number) const { ASN1_INTEGER_free(number); }
};
using Integer = std::unique_ptr<ASN1_INTEGER, FreeInteger>;
struct FreeTime {
    void operator()(ASN1_TIME *time) const { ASN1_TIME_free(time); }
};
using Time = std::unique_ptr<ASN1_TIME, FreeTime>;

List read_list(const std::string &pem) {
    const Bio bio(must(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))), &BIO_free_all);
    return List(PEM_read_bio_X509_CRL(bio.get(), nullptr, nullptr, nullptr));
}

void set_period(X509_CRL &list, Validity validity) {
    const Time from(must(ASN1_TIME_set(nullptr, validity.from_s)));
    const Time next(must(ASN1_TIME_set(nullptr, validity.to_s)));
    must_be(X509_CRL_set1_lastUpdate(&list, from.get()));
    must_be(X509_CRL_set1_nextUpdate(&list, next.get()));
}

/// RFC 5280 section 5.2.3: the number of a list rises.
void count_up(X509_CRL &list) {
    const Integer former(
        static_cast<ASN1_INTEGER *>(X509_CRL_get_ext_d2i(&list, NID_crl_number, nullptr, nullptr)));
    const Integer number(must(ASN1_INTEGER_new()));
    must_be(ASN1_INTEGER_set(number.get(), former ? ASN1_INTEGER_get(former.get()) + 1 : 1));
    must_be(X509_CRL_add1_ext_i2d(&list, NID_crl_number, number.get(), 0, X509V3_ADD_REPLACE));
}

void add_entry(X509_CRL &list, X509 &certificate, std::int64_t when_s) {
    X509_REVOKED *present = nullptr;
    if (X509_CRL_get0_by_cert(&list, &present, &certificate) == 1) return;
    std::unique_ptr<X509_REVOKED, decltype(&X509_REVOKED_free)> entry(must(X509_REVOKED_new()),
                                                                      &X509_REVOKED_free);
    const Time when(must(ASN1_TIME_set(nullptr, when_s)));
    must_be(X509_REVOKED_set_serialNumber(entry.get(), X509_get_serialNumber(&certificate)));
    must_be(X509_REVOKED_set_revocationDate(entry.get(), when.get()));
    must_be(X509_CRL_add0_revoked(&list, entry.get()));
    static_cast<void>(entry.release());
}

std::int64_t unix_seconds(const ASN1_TIME *time) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(time, &parts) != 1) return 0;
    return ::timegm(&parts);
}

std::string name_text(const X509_NAME *name) {
    const Bio bio = memory();
    X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB);
    return text_of(bio.get());
}

}  // namespace

void FreeCertificate::operator()(X509 *certificate) const {
    X509_free(certificate);
}

void FreeKey::operator()(EVP_PKEY *key) const {
    EVP_PKEY_free(key);
}

Credential Credential::make_authority(const std::string &name, Validity validity) {
    Key key = make_key();
    Certificate made = make_certificate(name, validity, key.get());
    must_be(X509_set_issuer_name(made.get(), X509_get_subject_name(made.get())));
    set_extension(*made, *made, NID_basic_constraints, "critical,CA:TRUE");
    set_extension(*made, *made, NID_key_usage, "critical,keyCertSign,cRLSign");
    set_extension(*made, *made, NID_subject_key_identifier, "hash");
    sign(*made, key.get());
    return {std::move(made), std::move(key)};
}

Credential Credential::issue(const NodeSpec &spec) const {
    Key key = make_key();
    Certificate made = make_certificate(spec.common_name, spec.validity, key.get());
    must_be(X509_set_issuer_name(made.get(), X509_get_subject_name(certificate_.get())));
    set_extension(*made, *certificate_, NID_basic_constraints, "critical,CA:FALSE");
    set_extension(*made, *certificate_, NID_key_usage, "critical,digitalSignature");
    set_extension(*made, *certificate_, NID_subject_key_identifier, "hash");
    set_extension(*made, *certificate_, NID_authority_key_identifier, "keyid:always");
    set_purposes(*made, spec.purposes);
    set_names(*made, spec);
    sign(*made, key_.get());
    return {std::move(made), std::move(key)};
}

Result<Credential, std::string> Credential::read(const std::string &certificate_file,
                                                 const std::string &key_file) {
    auto certificates = read_certificates(certificate_file);
    if (!certificates) return fail(std::move(certificates.error()));
    const auto bio = open_file(key_file);
    if (!bio) return fail(bio.error());
    // Never asks at the terminal.
    Key key(PEM_read_bio_PrivateKey(
        bio->get(), nullptr, [](char *, int, int, auto *) { return -1; }, nullptr));
    if (!key) return fail(key_file + ": " + cla::pem_error_text("private key"));
    if (X509_check_private_key(certificates->front().get(), key.get()) != 1) {
        ERR_clear_error();
        return fail(key_file + ": is not the key of " + certificate_file);
    }
    return Credential(std::move(certificates->front()), std::move(key));
}

Result<std::string, std::string> Credential::revoke(const std::string &former,
                                                    const std::vector<Certificate> &revoked,
                                                    Validity validity) const {
    const List list = former.empty() ? List(must(X509_CRL_new())) : read_list(former);
    if (!list) return fail(cla::pem_error_text("revocation list"));
    must_be(X509_CRL_set_version(list.get(), X509_CRL_VERSION_2));
    must_be(X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(certificate_.get())));
    set_period(*list, validity);
    count_up(*list);
    for (const Certificate &certificate : revoked) {
        const bool of_this_authority =
            X509_check_issued(certificate_.get(), certificate.get()) == X509_V_OK;
        if (!of_this_authority)
            return fail(subject_of(*certificate) + " was issued by another authority");
        add_entry(*list, *certificate, validity.from_s);
    }
    must_be(X509_CRL_sort(list.get()));
    FARLINK_INVARIANT(X509_CRL_sign(list.get(), key_.get(), EVP_sha256()) > 0);
    const Bio bio = memory();
    must_be(PEM_write_bio_X509_CRL(bio.get(), list.get()));
    return text_of(bio.get());
}

std::string Credential::certificate_pem() const {
    const Bio bio = memory();
    must_be(PEM_write_bio_X509(bio.get(), certificate_.get()));
    return text_of(bio.get());
}

std::string Credential::key_pem() const {
    const Bio bio = memory();
    must_be(PEM_write_bio_PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr));
    return text_of(bio.get());
}

Result<std::vector<Certificate>, std::string> read_certificates(const std::string &file) {
    const auto bio = open_file(file);
    if (!bio) return fail(bio.error());
    std::vector<Certificate> found;
    while (Certificate next{PEM_read_bio_X509(bio->get(), nullptr, nullptr, nullptr)})
        found.push_back(std::move(next));
    if (found.empty()) return fail(file + ": " + cla::pem_error_text("certificate"));
    ERR_clear_error();
    return found;
}

Validity days_from_now(int days) {
    const auto now = static_cast<std::int64_t>(unix_nanoseconds() / 1'000'000'000);
    return {now - kBackdatedSeconds, now + days * kDaySeconds};
}

Validity validity_of(const X509 &certificate) {
    return {unix_seconds(X509_get0_notBefore(&certificate)),
            unix_seconds(X509_get0_notAfter(&certificate))};
}

bool is_authority(X509 &certificate) {
    return (X509_get_extension_flags(&certificate) & EXFLAG_CA) != 0;
}

std::string issuer_of(const X509 &certificate) {
    return name_text(X509_get_issuer_name(&certificate));
}

std::string subject_of(const X509 &certificate) {
    return name_text(X509_get_subject_name(&certificate));
}

}  // namespace farlink::certificates
