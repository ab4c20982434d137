// SPDX-License-Identifier: Apache-2.0
// The functions have the shapes of openssl/core_dispatch.h; provider-cipher(7) describes each.
// They return 1 for success and 0 for failure, and nothing is thrown through OpenSSL.
#include "cla/tls/gcm/gcm_provider.hpp"

#if FARLINK_TLS && FARLINK_IPSEC_MB

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <algorithm>
#include <array>
#include <memory>

#include "cla/tls/gcm/tls12_gcm.hpp"

namespace farlink::cla {
namespace {

using Direction = GcmCipher::Direction;
using KeySize = GcmKernels GcmKernelSet::*;

/// What OpenSSL holds of us for one direction of a connection.
struct CipherContext {
    GcmCipher cipher;
    Tls12Gcm records;
};

CipherContext &context_of(void *context) {
    return *static_cast<CipherContext *>(context);
}

template <KeySize kSize>
void *make_context(void *) noexcept {
    return std::make_unique<CipherContext>(GcmCipher((*fast_gcm()).*kSize), Tls12Gcm()).release();
}

void *copy_context(void *context) noexcept {
    return std::make_unique<CipherContext>(context_of(context)).release();
}

void free_context(void *context) {
    const std::unique_ptr<CipherContext> owned(static_cast<CipherContext *>(context));
}

int update(void *context, unsigned char *to, std::size_t *written, std::size_t room,
           const unsigned char *from, std::size_t size) {
    CipherContext &own = context_of(context);
    *written = 0;
    if (own.records.announced()) {
        if (to == nullptr || from == nullptr || room < size) return 0;
        const auto published = own.records.process(own.cipher, {from, size}, to);
        *written = published.value_or(0);
        return published ? 1 : 0;
    }
    const bool is_text = to != nullptr;
    if (from == nullptr || (is_text && room < size)) return size == 0 ? 1 : 0;
    const ByteView octets{from, size};
    if (!(is_text ? own.cipher.update(octets, to) : own.cipher.associate(octets))) return 0;
    *written = size;
    return 1;
}

int finish(void *context, unsigned char *, std::size_t *written, std::size_t) {
    *written = 0;
    return context_of(context).cipher.finish() ? 1 : 0;
}

/// True when `name` is not requested, or its value has been taken.
template <class Value>
bool set_param(OSSL_PARAM *params, const char *name, int (*set)(OSSL_PARAM *, Value), Value value) {
    OSSL_PARAM *const wanted = OSSL_PARAM_locate(params, name);
    return wanted == nullptr || set(wanted, value) == 1;
}

bool publish_sizes(OSSL_PARAM *params, std::size_t key_bytes) {
    return set_param(params, OSSL_CIPHER_PARAM_KEYLEN, OSSL_PARAM_set_size_t, key_bytes) &&
           set_param(params, OSSL_CIPHER_PARAM_IVLEN, OSSL_PARAM_set_size_t,
                     GcmCipher::kNonceBytes);
}

template <KeySize kSize>
int set_constants(OSSL_PARAM *params) {
    const bool published =
        publish_sizes(params, ((*fast_gcm()).*kSize).key_bytes) &&
        set_param(params, OSSL_CIPHER_PARAM_MODE, OSSL_PARAM_set_uint,
                  unsigned{EVP_CIPH_GCM_MODE}) &&
        set_param(params, OSSL_CIPHER_PARAM_BLOCK_SIZE, OSSL_PARAM_set_size_t, std::size_t{1}) &&
        set_param(params, OSSL_CIPHER_PARAM_AEAD, OSSL_PARAM_set_int, 1) &&
        set_param(params, OSSL_CIPHER_PARAM_CUSTOM_IV, OSSL_PARAM_set_int, 1);
    return published ? 1 : 0;
}

int publish_state(void *context, OSSL_PARAM *params) {
    const GcmCipher &cipher = context_of(context).cipher;
    const bool published = publish_sizes(params, cipher.key_bytes()) &&
                           set_param(params, OSSL_CIPHER_PARAM_AEAD_TAGLEN, OSSL_PARAM_set_size_t,
                                     GcmCipher::kTagBytes) &&
                           set_param(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD,
                                     OSSL_PARAM_set_size_t, GcmCipher::kTagBytes);
    if (!published) return 0;
    OSSL_PARAM *const wanted = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_AEAD_TAG);
    if (wanted == nullptr) return 1;
    const ByteView tag = cipher.tag();
    if (tag.empty() || wanted->data_size != tag.size()) return 0;
    return OSSL_PARAM_set_octet_string(wanted, tag.data(), tag.size());
}

/// Gives `take` the value under `name`, if there is one; returns its answer.
template <class Take>
bool get_param(const OSSL_PARAM *params, const char *name, Take take) {
    const OSSL_PARAM *const said = OSSL_PARAM_locate_const(params, name);
    if (said == nullptr) return true;
    if (said->data_type != OSSL_PARAM_OCTET_STRING || said->data == nullptr) return false;
    return take(ByteView{static_cast<const std::uint8_t *>(said->data), said->data_size});
}

bool accepts_nonce_size(const OSSL_PARAM *params) {
    const OSSL_PARAM *const said = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_IVLEN);
    std::size_t size = 0;
    return said == nullptr ||
           (OSSL_PARAM_get_size_t(said, &size) == 1 && size == GcmCipher::kNonceBytes);
}

int handle_parameters(void *context, const OSSL_PARAM *params) {
    if (params == nullptr) return 1;
    CipherContext &own = context_of(context);
    const auto announce = [&own](ByteView header) {
        return own.records.announce(own.cipher.direction(), header);
    };
    const bool read = accepts_nonce_size(params) &&
                      get_param(params, OSSL_CIPHER_PARAM_AEAD_TAG,
                                [&own](ByteView tag) { return own.cipher.expect_tag(tag); }) &&
                      get_param(params, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED,
                                [&own](ByteView salt) { return own.records.set_salt(salt); }) &&
                      get_param(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, announce);
    return read ? 1 : 0;
}

template <Direction kDirection>
int start(void *context, const unsigned char *key, std::size_t key_bytes,
          const unsigned char *nonce, std::size_t nonce_bytes, const OSSL_PARAM *params) {
    const ByteView given_key{key, key == nullptr ? 0 : key_bytes};
    const ByteView given_nonce{nonce, nonce == nullptr ? 0 : nonce_bytes};
    if (!context_of(context).cipher.start(kDirection, given_key, given_nonce)) return 0;
    return handle_parameters(context, params);
}

/// Checks that `function` has the shape that OpenSSL calls it by.
template <class Shape>
OSSL_DISPATCH entry(int id, Shape *function) {
    return {id, reinterpret_cast<void (*)()>(function)};
}

template <KeySize kSize>
const OSSL_DISPATCH *cipher_functions() {
    static const std::array functions{
        entry<OSSL_FUNC_cipher_newctx_fn>(OSSL_FUNC_CIPHER_NEWCTX, make_context<kSize>),
        entry<OSSL_FUNC_cipher_dupctx_fn>(OSSL_FUNC_CIPHER_DUPCTX, copy_context),
        entry<OSSL_FUNC_cipher_freectx_fn>(OSSL_FUNC_CIPHER_FREECTX, free_context),
        entry<OSSL_FUNC_cipher_encrypt_init_fn>(OSSL_FUNC_CIPHER_ENCRYPT_INIT,
                                                start<Direction::kSeal>),
        entry<OSSL_FUNC_cipher_decrypt_init_fn>(OSSL_FUNC_CIPHER_DECRYPT_INIT,
                                                start<Direction::kOpen>),
        entry<OSSL_FUNC_cipher_update_fn>(OSSL_FUNC_CIPHER_UPDATE, update),
        entry<OSSL_FUNC_cipher_final_fn>(OSSL_FUNC_CIPHER_FINAL, finish),
        entry<OSSL_FUNC_cipher_get_params_fn>(OSSL_FUNC_CIPHER_GET_PARAMS, set_constants<kSize>),
        entry<OSSL_FUNC_cipher_get_ctx_params_fn>(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, publish_state),
        entry<OSSL_FUNC_cipher_set_ctx_params_fn>(OSSL_FUNC_CIPHER_SET_CTX_PARAMS,
                                                  handle_parameters),
        OSSL_DISPATCH{0, nullptr}};
    return functions.data();
}

/// Names and object identifiers as in OpenSSL's own provider.
const OSSL_ALGORITHM *query(void *, int operation, int *may_not_be_kept) {
    static constexpr const char *kProperties = "provider=farlink,x.farlink=yes";
    static const std::array<OSSL_ALGORITHM, 3> ciphers{{
        {"AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6", kProperties,
         cipher_functions<&GcmKernelSet::aes128>(), "intel-ipsec-mb"},
        {"AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46", kProperties,
         cipher_functions<&GcmKernelSet::aes256>(), "intel-ipsec-mb"},
        {nullptr, nullptr, nullptr, nullptr},
    }};
    *may_not_be_kept = 0;
    return operation == OSSL_OP_CIPHER ? ciphers.data() : nullptr;
}

int begin_provider(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *,
                   const OSSL_DISPATCH **functions, void **context) {
    static const std::array own{
        entry<OSSL_FUNC_provider_query_operation_fn>(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query),
        OSSL_DISPATCH{0, nullptr}};
    *functions = own.data();
    // Contexts are made from it, and it must not be null.
    *context = const_cast<OSSL_CORE_HANDLE *>(handle);
    return 1;
}

}  // namespace

bool add_gcm_provider(OSSL_LIB_CTX *library) {
    return OSSL_PROVIDER_add_builtin(library, kGcmProvider, begin_provider) == 1;
}

}  // namespace farlink::cla

#endif  // FARLINK_TLS && FARLINK_IPSEC_MB
