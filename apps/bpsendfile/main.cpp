// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsendfile/program.hpp"

int main(int argc, char **argv) {
    return farlink::bpsendfile::run_program(argc, argv);
}
