// SPDX-License-Identifier: Apache-2.0
// Certificates of a test's own authority, as files in a folder that is removed with the test.
// Owned by a test; one thread.
// Keys are fresh each time.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "apps/shared/certificates/credential.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::test {

class TlsFiles {
public:
    TlsFiles()
        : folder_(std::filesystem::temp_directory_path() /
                  ("farlink-tls-" + std::to_string(entropy_seed()))),
          authority_(certificates::Credential::make_authority("test authority", valid_days(1))) {
        std::filesystem::create_directories(folder_);
        write("ca.pem", authority_.certificate_pem());
    }
    TlsFiles(const TlsFiles &) = delete;
    TlsFiles &operator=(const TlsFiles &) = delete;
    ~TlsFiles() { std::filesystem::remove_all(folder_); }

    /// From an hour ago until `days` from now, which may lie in the past.
    [[nodiscard]] static certificates::Validity valid_days(int days) {
        const auto now = static_cast<std::int64_t>(unix_nanoseconds() / 1'000'000'000);
        return {now + std::min(days, 0) * 2 * 86'400 - 3'600, now + days * 86'400};
    }
    [[nodiscard]] static certificates::NodeSpec node(const std::string &node_id) {
        certificates::NodeSpec spec;
        spec.common_name = node_id;
        spec.names.node_ids = {node_id};
        spec.validity = valid_days(1);
        return spec;
    }

    [[nodiscard]] std::string path(const std::string &name) const { return folder_ / name; }
    void write(const std::string &name, const std::string &text) const {
        // Writes a new file and renames it, like the tool of a careful operator.
        std::ofstream(path(name + ".new")) << text;
        std::filesystem::rename(path(name + ".new"), path(name));
    }
    /// Writes `name`.pem and `name`.key.
    void issue(const std::string &name, const certificates::NodeSpec &spec) const {
        const auto made = authority_.issue(spec);
        write(name + ".pem", made.certificate_pem());
        write(name + ".key", made.key_pem());
    }
    [[nodiscard]] config::TlsConfig config(const std::string &name) const {
        return {.mode = config::TlsMode::kRequired,
                .ca_file = path("ca.pem"),
                .crl_file = {},
                .certificate_file = path(name + ".pem"),
                .key_file = path(name + ".key")};
    }
    [[nodiscard]] config::TlsConfig issue_config(const std::string &name,
                                                 const certificates::NodeSpec &spec) const {
        issue(name, spec);
        return config(name);
    }
    [[nodiscard]] const certificates::Credential &authority() const { return authority_; }

private:
    std::filesystem::path folder_;
    certificates::Credential authority_;
};

}  // namespace farlink::test
