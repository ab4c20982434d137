// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/hdtn/hdtn_tls.hpp"

#include "common/config_import/hdtn/hdtn_links.hpp"

namespace farlink::config {
namespace {

constexpr const char *kInductKeys[] = {"tlsIsRequired", "certificatePemFile", "privateKeyPemFile"};
constexpr const char *kOutductKeys[] = {
    "tryUseTls", "tlsIsRequired", "doX509CertificateVerification",
    "verifySubjectAltNameInX509Certificate", "certificationAuthorityPemFileForVerification"};

template <std::size_t kCount>
void map_all(const HdtnSection &section, const char *const (&keys)[kCount],
             const std::string &text) {
    for (const char *const key : keys)
        if (section.find(key) != nullptr) section.notes().map(section.place(key), text);
}

/// Whether peers may go unchecked; if not, the refusal has the line.
bool may_trust(const HdtnSection &section, const char *key, const HdtnChoices &choices,
               const std::string &out_path, const std::string &why) {
    const std::string line = out_path + ": \"tlsInsecure\": true";
    if (choices.trust_like_hdtn) {
        section.notes().change(section.place(key), line + ", " + why);
        return true;
    }
    section.notes().refuse(section.place(key),
                           why + ": the line would be " + line +
                               ", which --trust-like-hdtn writes; with \"ca\": FILE in its place "
                               "the peer is checked");
    return false;
}

std::string mode_of(bool required) {
    return required ? "required" : "optional";
}

}  // namespace

void import_induct_tls(const HdtnSection &section, const HdtnChoices &choices, ImportedJson &out,
                       const std::string &out_path) {
    const bool required = section.flag("tlsIsRequired", false);
    const std::string certificate = located(section.text("certificatePemFile"), choices);
    const std::string key = located(section.text("privateKeyPemFile"), choices);
    const bool given = !certificate.empty() && !key.empty();
    if (!given && required)
        return section.notes().refuse(section.place("tlsIsRequired"),
                                      "found true without certificatePemFile and "
                                      "privateKeyPemFile; expected both");
    if (!given) return map_all(section, kInductKeys, out_path + ": no TLS, as the default");
    const auto is_there = [&](const std::string &file) {
        return !choices.exists || choices.exists(file);
    };
    if (!required && !(is_there(certificate) && is_there(key)))
        return section.notes().change(section.place("certificatePemFile"),
                                      out_path + ": no TLS: it is not required, and " +
                                          (is_there(certificate) ? key : certificate) +
                                          " does not exist");
    if (!may_trust(section, "tlsIsRequired", choices, out_path,
                   "HDTN requests no certificate from a client"))
        return;
    out["tls"] = mode_of(required);
    out["cert"] = certificate;
    out["key"] = key;
    out["tlsInsecure"] = true;
    map_all(section, kInductKeys,
            out_path + ": \"tls\": \"" + mode_of(required) + "\", with cert and key");
}

void import_outduct_tls(const HdtnSection &section, const HdtnChoices &choices, ImportedJson &out,
                        const std::string &out_path) {
    const bool tries = section.flag("tryUseTls", false);
    const bool required = section.flag("tlsIsRequired", false);
    if (!tries && required)
        return section.notes().refuse(section.place("tlsIsRequired"),
                                      "found true while tryUseTls is false");
    if (!tries) return map_all(section, kOutductKeys, out_path + ": no TLS, as the default");
    if (!section.flag("doX509CertificateVerification", true)) {
        if (!may_trust(section, "doX509CertificateVerification", choices, out_path,
                       "the peer's certificate is not checked"))
            return;
        out["tls"] = mode_of(required);
        out["tlsInsecure"] = true;
        return map_all(section, kOutductKeys,
                       out_path + ": \"tls\": \"" + mode_of(required) + "\", unchecked");
    }
    const std::string authorities =
        located(section.text("certificationAuthorityPemFileForVerification"), choices);
    if (authorities.empty())
        return section.notes().refuse(
            section.place("certificationAuthorityPemFileForVerification"),
            "missing: certificates are to be checked; expected the file of their authority");
    out["tls"] = mode_of(required);
    out["ca"] = authorities;
    const bool names = section.flag("verifySubjectAltNameInX509Certificate", true);
    if (!names) out["tlsVerify"] = "chain";
    map_all(section, kOutductKeys,
            out_path + ": \"tls\": \"" + mode_of(required) + "\", ca" +
                (names ? ": chain and node id are checked"
                       : ", \"tlsVerify\": \"chain\": names are not checked"));
}

}  // namespace farlink::config
