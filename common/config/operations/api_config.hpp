// SPDX-License-Identifier: Apache-2.0
// The address, tokens and files of the HTTP API and the dashboard.
// Part of NodeConfig; values.
// Any thread.
#pragma once

#include <string>
#include <vector>

namespace farlink::config {

/// `tls` of the API; files are PEM.
struct ApiTlsConfig {
    std::string certificate_file;  ///< `certificate`: with intermediate ones
    std::string key_file;          ///< `key`
};

/// `api`
struct ApiConfig {
    std::string listen;                      ///< `listen`: address:port; empty: no server
    std::string tokens_file;                 ///< `tokensFile`; empty: no changes
    ApiTlsConfig tls;                        ///< `tls`
    std::string webui_folder;                ///< `webui`; empty: the default
    std::string audit_file;                  ///< `auditFile`
    std::vector<std::string> allowed_hosts;  ///< `allowedHosts`: names that browsers may use

    [[nodiscard]] bool wanted() const { return !listen.empty(); }
};

}  // namespace farlink::config
