// SPDX-License-Identifier: Apache-2.0
#include "common/config/operations/api_fields.hpp"

#include "common/config/fields/ip_address.hpp"

namespace farlink::config {
namespace {

constexpr std::string_view kListenForm =
    "address:port with an IP address (IPv6 in brackets), such as 127.0.0.1:8080";

const Table<ApiTlsConfig> &api_tls_table() {
    static const Table<ApiTlsConfig> table{
        "api.tls",
        "The server certificate of the API; required unless the server listens on loopback only.",
        {
            {{.key = "certificate",
              .kind = FieldKind::kText,
              .help = "PEM file with the certificate, followed by the intermediate certificates."},
             &ApiTlsConfig::certificate_file},
            {{.key = "key",
              .kind = FieldKind::kText,
              .help = "PEM file with the private key of `certificate`."},
             &ApiTlsConfig::key_file},
        }};
    return table;
}

}  // namespace

const Table<ApiConfig> &api_table() {
    static const Table<ApiConfig> table{
        "api",
        "The HTTP API, the metrics and the dashboard of the node, and who may use them. See "
        "[api.md](api.md). File names are relative to the folder of the configuration file.",
        {
            {{.key = "listen",
              .kind = FieldKind::kText,
              .computed_default = "none: no server",
              .help = "Address and port: `127.0.0.1:8080`, `[::1]:8080`. With port 0 the system "
                      "assigns a port, which is logged. Addresses other than loopback require "
                      "`tls` and `tokensFile`."},
             &ApiConfig::listen},
            {{.key = "tokensFile",
              .kind = FieldKind::kText,
              .computed_default = "none: no changes through the API",
              .help = "File made by `farlinkctl tokens make`, with mode 0600. It is read again "
                      "when it changes."},
             &ApiConfig::tokens_file},
            {{.key = "tls",
              .kind = FieldKind::kObject,
              .section = &api_tls_table().info(),
              .help = "HTTPS instead of HTTP."},
             [](ApiConfig &to, const Value &value) {
                 to.tls = api_tls_table().build(value.as<Object>());
             }},
            {{.key = "webui",
              .kind = FieldKind::kText,
              .computed_default = "where farlink is installed",
              .help = "Folder with the dashboard's files."},
             &ApiConfig::webui_folder},
            {{.key = "auditFile",
              .kind = FieldKind::kText,
              .computed_default = "`audit.jsonl` in `stateFolder`",
              .help = "Audit file of the changes made through the API, the control socket and "
                      "SIGHUP: one line of JSON for each change, appended."},
             &ApiConfig::audit_file},
            {{.key = "allowedHosts",
              .kind = FieldKind::kTexts,
              .help = "Additional host names under which browsers may reach the server, besides "
                      "the listen address and the loopback names."},
             &ApiConfig::allowed_hosts},
        }};
    return table;
}

std::optional<ListenAddress> parse_listen(std::string_view text) {
    const auto found = read_ip_and_port(text);
    if (!found) return std::nullopt;
    return ListenAddress{std::string(found->host), found->port};
}

std::string to_string(const ListenAddress &listen) {
    const bool bracketed = is_ipv6_address(listen.address);
    return (bracketed ? '[' + listen.address + ']' : listen.address) + ':' +
           std::to_string(listen.port);
}

bool is_loopback_address(std::string_view address) {
    return address_matches("127.0.0.0/8", address) || address_matches("::1", address);
}

void check_api(const ApiConfig &api, std::vector<ConfigError> &errors) {
    const auto add = [&](const char *key, std::string problem, std::string expected,
                         std::string hint = {}) {
        errors.push_back(
            {member_path("api", key), std::move(problem), std::move(expected), std::move(hint)});
    };
    if (!api.wanted()) {
        if (!api.tokens_file.empty() || !api.webui_folder.empty() || !api.allowed_hosts.empty() ||
            !api.tls.certificate_file.empty() || !api.audit_file.empty())
            add("listen", "missing", std::string(kListenForm));
        return;
    }
    const auto listen = parse_listen(api.listen);
    if (!listen) return add("listen", "found " + in_quotes(api.listen), std::string(kListenForm));
    const bool tls = !api.tls.certificate_file.empty();
    if (tls == api.tls.key_file.empty())
        add(tls ? "tls.key" : "tls.certificate", "missing", "certificate and key together");
    if (is_loopback_address(listen->address)) return;
    const std::string found = "missing, and " + in_quotes(api.listen) + " is not loopback";
    if (!tls)
        add("tls", found, "certificate and key",
            "`farlinkctl cert make` makes them; on 127.0.0.1 they are not needed");
    if (api.tokens_file.empty())
        add("tokensFile", found, "a file of tokens", "`farlinkctl tokens make` writes it");
}

}  // namespace farlink::config
