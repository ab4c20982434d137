// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/program.hpp"

int main(int argc, char **argv) {
    return farlink::ctl::run_program(argc, argv);
}
