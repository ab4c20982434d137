// SPDX-License-Identifier: Apache-2.0
// `farlinkctl`: the operator's helper beside a node.
#include "apps/farlinkctl/cert_make.hpp"
#include "apps/farlinkctl/cert_show.hpp"
#include "apps/farlinkctl/options.hpp"

int main(int argc, char **argv) {
    using namespace farlink::ctl;
    Options options;
    if (const auto code = read_options(argc, argv, options)) return *code;
    return options.command == Command::kCertMake ? make_certificates(options.make)
                                                 : show_certificates(options.show);
}
