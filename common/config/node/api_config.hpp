// SPDX-License-Identifier: Apache-2.0
// Where the node serves its HTTP API and the dashboard, and who may use them.
// Part of NodeConfig; values.
// Any thread.
#pragma once

#include <string>
#include <vector>

namespace farlink::config {

/// `tls` of the API; files are PEM.
struct ApiTlsConfig {
    std::string certificate_file;  ///< `certificate`: and what is above it
    std::string key_file;          ///< `key`
};

/// `api`
struct ApiConfig {
    std::string listen;                      ///< `listen`: address:port; empty: there is no server
    std::string tokens_file;                 ///< `tokensFile`; empty: nobody may operate
    ApiTlsConfig tls;                        ///< `tls`
    std::string webui_folder;                ///< `webui`; empty: where the program finds it
    std::string audit_file;                  ///< `auditFile`
    std::vector<std::string> allowed_hosts;  ///< `allowedHosts`: names that browsers may use

    [[nodiscard]] bool wanted() const { return !listen.empty(); }
};

}  // namespace farlink::config
