// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceive/program.hpp"

int main(int argc, char **argv) {
    return farlink::bpreceive::run_program(argc, argv);
}
