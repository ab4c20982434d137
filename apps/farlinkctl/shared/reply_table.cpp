// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/shared/reply_table.hpp"

#include <algorithm>
#include <cstdio>

#include "apps/farlinkctl/shared/figures.hpp"
#include "common/base/counted.hpp"

namespace farlink::ctl {

using Json = nlohmann::ordered_json;

void print_rows(const std::vector<Row> &rows) {
    std::vector<std::size_t> widths;
    for (const Row &row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], columns_of(row[i]));
    }
    for (const Row &row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i];
            if (i + 1 < row.size()) line.append(widths[i] + 2 - columns_of(row[i]), ' ');
        }
        std::puts(line.c_str());
    }
}

std::string text(const Json &object, const char *key) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return "-";
    if (found->is_boolean()) return found->get<bool>() ? "yes" : "no";
    return found->is_string() ? found->get<std::string>() : found->dump();
}

std::string counted_text(const Json &object, const char *key, std::string_view noun) {
    const std::string number = text(object, key);
    return number + ' ' + noun_for(number == "1" ? 1 : 0, noun);
}

std::string cell(const Json &object, const char *key) {
    return printable(text(object, key));
}

double number(const Json &object, const char *key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

bool is_true(const Json &object, const char *key) {
    return object.value(key, false);
}

}  // namespace farlink::ctl
