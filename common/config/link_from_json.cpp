// SPDX-License-Identifier: Apache-2.0
#include "common/config/link_from_json.hpp"

#include <utility>

#include "common/config/link_fields.hpp"
#include "common/config/section_checker.hpp"

namespace farlink::config {
namespace {

template <class Link>
Result<Link, ConfigErrors> link_from_json(const Table<Link> &table, std::string_view json,
                                          const LinkContext &context) {
    ConfigErrors errors;
    const auto object = check_document(table.info(), json, errors.errors);
    if (!object) return fail(std::move(errors));
    Link link = table.build(*object);
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
