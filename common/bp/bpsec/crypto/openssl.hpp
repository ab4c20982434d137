// SPDX-License-Identifier: Apache-2.0
// Owners of OpenSSL's objects.
// Values that belong to whoever made them.
// One thread; what is fetched once for the process is shared.
#pragma once

#include <openssl/evp.h>

#include <memory>

namespace farlink::bp::bpsec {

struct OpensslFree {
    void operator()(EVP_MAC_CTX *context) const { EVP_MAC_CTX_free(context); }
    void operator()(EVP_CIPHER_CTX *context) const { EVP_CIPHER_CTX_free(context); }
};

using MacContext = std::unique_ptr<EVP_MAC_CTX, OpensslFree>;
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, OpensslFree>;

}  // namespace farlink::bp::bpsec
