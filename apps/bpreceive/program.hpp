// SPDX-License-Identifier: Apache-2.0
// bpreceive: receives bundles of an endpoint through a node on this machine, to standard output,
// files or commands.
// Called once, by main() and in its thread.
#pragma once

namespace farlink::bpreceive {

/// The exit code for these arguments of the command line.
int run_program(int argc, char **argv);

}  // namespace farlink::bpreceive
