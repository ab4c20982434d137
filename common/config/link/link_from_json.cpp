// SPDX-License-Identifier: Apache-2.0
#include "common/config/link/link_from_json.hpp"

#include <filesystem>
#include <span>
#include <utility>

#include "common/config/fields/section_checker.hpp"
#include "common/config/link/link_fields.hpp"

namespace farlink::config {
namespace {

// Without a folder a relative file name has no meaning.
bool check_absolute(const LinkOptions &link, std::span<const NeighbourAddress> neighbours,
                    std::vector<ConfigError> &errors) {
    bool absolute = true;
    const auto check = [&](const std::string &key, const std::string &file) {
        if (file.empty() || std::filesystem::path(file).is_absolute()) return;
        absolute = false;
        errors.push_back({key, "found " + in_quotes(file) + ", which is relative",
                          "an absolute file name", "a running node has no folder to start from"});
    };
    check("ca", link.tls.ca_file);
    check("crl", link.tls.crl_file);
    check("cert", link.tls.certificate_file);
    check("key", link.tls.key_file);
    check("ltpAuthenticationKeyFile", link.ltp.authentication.key_file);
    for (std::size_t i = 0; i < neighbours.size(); ++i)
        check(item_path("neighbours", i) + ".ltpAuthenticationKeyFile",
              neighbours[i].ltp_authentication.key_file);
    return absolute;
}

std::span<const NeighbourAddress> neighbours_of(const InductConfig &induct) {
    return induct.neighbours;
}
std::span<const NeighbourAddress> neighbours_of(const OutductConfig &) {
    return {};
}

template <class Link>
Result<Link, ConfigErrors> link_from_json(const Table<Link> &table, std::string_view json,
                                          const LinkContext &context) {
    ConfigErrors errors;
    const auto object = check_document(table.info(), json, errors.errors);
    if (!object) return fail(std::move(errors));
    Link link = table.build(*object);
    if (context.folder.empty() && !check_absolute(link, neighbours_of(link), errors.errors))
        return fail(std::move(errors));
    check_link(link, context, "", errors.errors);
    if (!errors.errors.empty()) return fail(std::move(errors));
    fill_link_defaults(link, context);
    return link;
}

}  // namespace

Result<InductConfig, ConfigErrors> induct_from_json(std::string_view json,
                                                    const LinkContext &context) {
    return link_from_json(induct_table(), json, context);
}

Result<OutductConfig, ConfigErrors> outduct_from_json(std::string_view json,
                                                      const LinkContext &context) {
    return link_from_json(outduct_table(), json, context);
}

}  // namespace farlink::config
