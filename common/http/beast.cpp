// SPDX-License-Identifier: Apache-2.0
// Beast's parsers, compiled once, as asio.cpp is.
#include <boost/beast/src.hpp>
