// SPDX-License-Identifier: Apache-2.0
// Asio's TLS streams, compiled once, as asio.cpp is.
#if FARLINK_TLS
#include <boost/asio/ssl/impl/src.hpp>
#endif
