// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/program.hpp"

int main(int argc, char **argv) {
    return farlink::bptrace::run_program(argc, argv);
}
