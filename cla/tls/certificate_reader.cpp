// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/certificate_reader.hpp"

#if FARLINK_TLS

#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <memory>

#include "cla/api/node_id.hpp"
#include "common/base/bytes.hpp"

namespace farlink::cla {
namespace {

struct FreeNames {
    void operator()(GENERAL_NAMES *names) const { GENERAL_NAMES_free(names); }
};
struct FreePurposes {
    void operator()(EXTENDED_KEY_USAGE *purposes) const { EXTENDED_KEY_USAGE_free(purposes); }
};

bool is_oid(const ASN1_OBJECT *object, std::string_view dotted) {
    std::array<char, 80> text{};
    const int size = OBJ_obj2txt(text.data(), static_cast<int>(text.size()), object, 1);
    return size > 0 && std::string_view(text.data()) == dotted;
}

ByteView octets_of(const ASN1_STRING *string) {
    return {ASN1_STRING_get0_data(string), static_cast<std::size_t>(ASN1_STRING_length(string))};
}

/// Empty when there is something in the name that a name does not have, such as a NUL that would
/// hide the rest of it.
std::string name_of(const ASN1_STRING *string) {
    const std::string_view text = as_text(octets_of(string));
    const bool readable = std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
    return readable ? std::string(text) : std::string();
}

std::string address_of(const ASN1_STRING *string) {
    using namespace boost::asio::ip;
    const ByteView octets = octets_of(string);
    address_v4::bytes_type v4;
    address_v6::bytes_type v6;
    if (octets.size() == v4.size()) {
        std::ranges::copy(octets, v4.begin());
        return address_v4(v4).to_string();
    }
    if (octets.size() != v6.size()) return {};
    std::ranges::copy(octets, v6.begin());
    return address_v6(v6).to_string();
}

void add(std::vector<std::string> &names, std::string name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end())
        names.push_back(std::move(name));
}

/// RFC 9174 section 4.4.1: what is an endpoint id, but no node id, is ignored.
void add_node_id(std::vector<std::string> &names, std::string name) {
    const auto id = read_node_id(name);
    if (id && id->proper) add(names, std::move(name));
}

void add_other_name(CertificateNames &names, const OTHERNAME &other) {
    if (!is_oid(other.type_id, kBundleEidOid) || other.value->type != V_ASN1_IA5STRING) return;
    add_node_id(names.node_ids, name_of(other.value->value.ia5string));
}

}  // namespace

CertificateNames read_names(const X509 &certificate) {
    CertificateNames names;
    const std::unique_ptr<GENERAL_NAMES, FreeNames> found(static_cast<GENERAL_NAMES *>(
        X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
    for (int i = 0; i < sk_GENERAL_NAME_num(found.get()); ++i) {
        const GENERAL_NAME *const name = sk_GENERAL_NAME_value(found.get(), i);
        switch (name->type) {
            case GEN_OTHERNAME:
                add_other_name(names, *name->d.otherName);
                break;
            case GEN_URI:
                add_node_id(names.node_ids, name_of(name->d.uniformResourceIdentifier));
                break;
            case GEN_DNS:
                add(names.dns_names, name_of(name->d.dNSName));
                break;
            case GEN_IPADD:
                add(names.addresses, address_of(name->d.iPAddress));
                break;
            default:
                break;
        }
    }
    return names;
}

std::optional<std::string_view> find_misuse(X509 &certificate) {
    // RFC 9174 section 4.4.2: versions 1 and 2 have no extensions and are refused.
    if (X509_get_version(&certificate) != X509_VERSION_3)
        return "it is not an X.509 certificate of version 3";
    // All bits are set when the extension is absent.
    if ((X509_get_key_usage(&certificate) & KU_DIGITAL_SIGNATURE) == 0)
        return "its key usage has no digitalSignature";
    if ((X509_get_extension_flags(&certificate) & EXFLAG_XKUSAGE) == 0) return std::nullopt;
    const std::unique_ptr<EXTENDED_KEY_USAGE, FreePurposes> purposes(
        static_cast<EXTENDED_KEY_USAGE *>(
            X509_get_ext_d2i(&certificate, NID_ext_key_usage, nullptr, nullptr)));
    for (int i = 0; i < sk_ASN1_OBJECT_num(purposes.get()); ++i) {
        const ASN1_OBJECT *const purpose = sk_ASN1_OBJECT_value(purposes.get(), i);
        if (OBJ_obj2nid(purpose) == NID_anyExtendedKeyUsage || is_oid(purpose, kBundleSecurityOid))
            return std::nullopt;
    }
    return "its extended key usage has no id-kp-bundleSecurity";
}

}  // namespace farlink::cla

#endif  // FARLINK_TLS
