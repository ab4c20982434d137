// SPDX-License-Identifier: Apache-2.0
// The one place where Boost.Asio's own sources are compiled.
#include <boost/asio/impl/src.hpp>
