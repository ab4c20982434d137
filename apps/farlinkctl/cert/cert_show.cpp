// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/cert/cert_show.hpp"

#if FARLINK_TLS

#include <array>
#include <cstdio>
#include <ctime>

#include "apps/farlinkctl/shared/exit_code.hpp"
#include "apps/shared/certificates/credential.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::ctl {
namespace {

std::string date_of(std::int64_t unix_s) {
    const std::time_t time = unix_s;
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    std::array<char, 40> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
    return text.data();
}

void print(const char *what, const std::string &value) {
    std::printf("  %-10s %s\n", what, value.c_str());
}

void print_all(const char *what, const std::vector<std::string> &values) {
    for (const std::string &value : values) print(what, value);
}

void show(x509_st &certificate) {
    const cla::CertificateNames names = cla::read_names(certificate);
    print_all("node id", names.node_ids);
    print_all("dns", names.dns_names);
    print_all("ip", names.addresses);
    print("subject", certificates::subject_of(certificate));
    print("issuer", certificates::issuer_of(certificate));
    const certificates::Validity validity = certificates::validity_of(certificate);
    const auto now = static_cast<std::int64_t>(unix_nanoseconds() / 1'000'000'000);
    print("from", date_of(validity.from_s) + (now < validity.from_s ? " (not yet)" : ""));
    print("to", date_of(validity.to_s) + (now > validity.to_s ? " (expired)" : ""));
    if (certificates::is_authority(certificate))
        print("use", "authority");
    else if (const auto misuse = cla::find_misuse(certificate))
        print("unfit", std::string(*misuse) + ": the certificate cannot be used by a node");
}

}  // namespace

int show_certificates(const std::vector<std::string> &files) {
    int exit_code = kExitClean;
    for (const std::string &file : files) {
        const auto found = certificates::read_certificates(file);
        if (!found) {
            std::fprintf(stderr, "farlinkctl: %s\n", found.error().c_str());
            exit_code = kExitFailed;
            continue;
        }
        for (const auto &certificate : *found) {
            std::printf("%s\n", file.c_str());
            show(*certificate);
        }
    }
    return exit_code;
}

}  // namespace farlink::ctl

#endif  // FARLINK_TLS
