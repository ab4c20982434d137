// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/alarms/certificate_files.hpp"

#include <algorithm>
#include <system_error>

#include "common/base/counted.hpp"

#if FARLINK_TLS
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>
#endif

namespace farlink::telemetry {

CertificateFiles::CertificateFiles(const config::NodeConfig &config)
    : api_(config.api.tls.certificate_file), links_(files_in(config)), configured_(links_) {}

std::map<LinkId, CertificateFiles::Pair> CertificateFiles::files_in(
    const config::NodeConfig &config) {
    std::map<LinkId, Pair> files;
    const auto add = [&files](const auto &links) {
        for (const config::LinkOptions &link : links)
            files[link.id] = {link.tls.certificate_file, link.tls.ca_file};
    };
    add(config.inducts);
    add(config.outducts);
    add(config.spans);
    return files;
}

void CertificateFiles::set_api(const std::string &certificate) {
    api_ = certificate;
    changed_ = true;
}

void CertificateFiles::set_link(const config::LinkOptions &link) {
    links_[link.id] = {link.tls.certificate_file, link.tls.ca_file};
    changed_ = true;
}

void CertificateFiles::remove_link(LinkId link) {
    links_.erase(link);
    changed_ = true;
}

void CertificateFiles::restore_link(LinkId link) {
    links_.erase(link);
    if (const auto known = configured_.find(link); known != configured_.end())
        links_.insert(*known);
    changed_ = true;
}

void CertificateFiles::collect() {
    files_.clear();
    changed_ = was_read_ = false;
    add(api_, kNoLink, false);
    for (const auto &[link, files] : links_) {
        add(files.certificate, link, false);
        add(files.authorities, link, true);
    }
}

void CertificateFiles::add(const std::string &path, LinkId link, bool authorities) {
    if (path.empty()) return;
    File &file = files_.try_emplace(path, File{link, authorities}).first->second;
    if (link != kNoLink) file.links.insert(link);
}

std::string CertificateFiles::use_of(const File &file) {
    if (file.link == kNoLink)
        return file.links.empty() ? "the API" : "the API and " + counted(file.links.size(), "link");
    const std::string first = "link " + std::to_string(file.link.value());
    return file.links.size() < 2 ? first
                                 : first + " and " + counted(file.links.size() - 1, "more link");
}

bool CertificateFiles::any_changed() {
    bool changed = false;
    for (auto &[path, file] : files_) {
        std::error_code error;
        const auto written = std::filesystem::last_write_time(path, error);
        if (error || written == file.written) continue;
        file.written = written;
        changed = true;
    }
    return changed;
}

bool CertificateFiles::look(TimePoint now) {
    if (changed_) collect();
    if (was_read_ && now - looked_at_ < kLookEvery) return false;
    looked_at_ = now;
    if (!any_changed() && was_read_ && now - read_at_ < kReadEvery) return false;
    read_at_ = now;
    was_read_ = true;
    read();
    return true;
}

// A chain is good until its first certificate ends, a list of authorities until its last.
void CertificateFiles::read() {
    certificates_.clear();
    for (const auto &[path, file] : files_) {
        const std::vector<CertificateEnd> ends = certificate_ends(path);
        if (ends.empty()) continue;
        const auto end = file.authorities
                             ? std::ranges::max_element(ends, {}, &CertificateEnd::ends)
                             : std::ranges::min_element(ends, {}, &CertificateEnd::ends);
        certificates_.push_back(
            {use_of(file), path, end->name, end->ends, file.link, file.authorities});
    }
}

#if FARLINK_TLS
namespace {

struct FreeBio {
    void operator()(BIO *bio) const { BIO_free(bio); }
};
struct FreeCertificate {
    void operator()(X509 *certificate) const { X509_free(certificate); }
};

constexpr DtnTime kMsPerSecond = 1000;

/// 0: before the DTN epoch, or no time.
DtnTime dtn_time_of(const ASN1_TIME *time) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(time, &parts) != 1) return 0;
    const std::time_t unix_seconds = ::timegm(&parts);
    const auto epoch = static_cast<std::time_t>(kDtnEpochUnixSeconds);
    return unix_seconds <= epoch ? 0 : static_cast<DtnTime>(unix_seconds - epoch) * kMsPerSecond;
}

std::string subject_of(const X509 &certificate) {
    const std::unique_ptr<BIO, FreeBio> text(BIO_new(BIO_s_mem()));
    if (text == nullptr) return {};
    X509_NAME_print_ex(text.get(), X509_get_subject_name(&certificate), 0, XN_FLAG_RFC2253);
    char *octets = nullptr;
    const auto size = BIO_get_mem_data(text.get(), &octets);
    return size > 0 ? std::string(octets, static_cast<std::size_t>(size)) : std::string();
}

}  // namespace

std::vector<CertificateEnd> certificate_ends(const std::string &path) {
    std::vector<CertificateEnd> ends;
    const std::unique_ptr<BIO, FreeBio> file(BIO_new_file(path.c_str(), "r"));
    while (file != nullptr) {
        const std::unique_ptr<X509, FreeCertificate> certificate(
            PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr));
        if (certificate == nullptr) break;
        ends.push_back(
            {subject_of(*certificate), dtn_time_of(X509_get0_notAfter(certificate.get()))});
    }
    // The end of the file, or what else has ended the loop, is no error of a later session.
    ERR_clear_error();
    return ends;
}
#else
std::vector<CertificateEnd> certificate_ends(const std::string &) {
    return {};
}
#endif

}  // namespace farlink::telemetry
