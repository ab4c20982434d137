// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsend/program.hpp"

int main(int argc, char **argv) {
    return farlink::bpsend::run_program(argc, argv);
}
