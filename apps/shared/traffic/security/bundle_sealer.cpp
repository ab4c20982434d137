// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/security/bundle_sealer.hpp"

#if FARLINK_TLS
#include <filesystem>
#include <optional>
#include <utility>

#include "apps/shared/traffic/security/key_choice.hpp"
#include "common/bp/bpsec/confidentiality.hpp"
#include "common/bp/parse.hpp"
#include "common/runtime/entropy.hpp"
#include "common/security/iv_file.hpp"

namespace farlink::traffic {
namespace {

using bp::bpsec::CipherVariant;
using bp::bpsec::HashVariant;
using bp::bpsec::KeyAlgorithm;
using bp::bpsec::Service;
using bp::bpsec::Verdict;
using security::Key;

constexpr std::uint64_t kPrimary = 0;
constexpr std::uint64_t kPayload = 1;
/// Nodes number their instances from 0 on; tools take the last ones, each its own.
constexpr std::uint8_t kFirstInstance = 240;
constexpr std::uint8_t kLastInstance = 255;

class SystemRandom final : public bp::bpsec::RandomSource {
public:
    void fill(MutableBytes octets) override { fill_random(octets); }
};

HashVariant hash_of(KeyAlgorithm algorithm) {
    for (const HashVariant variant : {HashVariant::kSha384, HashVariant::kSha512})
        if (algorithm == bp::bpsec::algorithm_of(variant)) return variant;
    return HashVariant::kSha256;
}

CipherVariant cipher_of(KeyAlgorithm algorithm) {
    return algorithm == KeyAlgorithm::kA128Gcm ? CipherVariant::kA128Gcm : CipherVariant::kA256Gcm;
}

std::string ivs_beside(const std::string &file) {
    std::error_code ignored;
    const std::filesystem::path path(file);
    const bool is_folder = std::filesystem::is_directory(path, ignored);
    return ((is_folder ? path : path.parent_path()) / "ivs").string();
}

/// A counter that no other program uses.
Result<std::unique_ptr<security::IvFile>, std::string> open_ivs(const std::string &folder,
                                                                std::uint64_t node,
                                                                const Key &key) {
    std::string wrong;
    for (unsigned instance = kLastInstance; instance >= kFirstInstance; --instance) {
        auto file = security::IvFile::open(
            folder, {node, static_cast<std::uint8_t>(instance), key.secret.octets()});
        if (file) return file;
        if (wrong.empty()) wrong = std::move(file.error());
    }
    return fail(std::move(wrong));
}

/// A key in use, and until when.
struct SourceKey {
    explicit SourceKey(const Key &key)
        : id(key.id),
          begins(key.begins),
          ends(key.ends),
          working(key.algorithm, key.secret.octets()) {}

    [[nodiscard]] bool is_valid(DtnTime now) const { return now >= begins && now < ends; }

    std::string id;
    DtnTime begins;
    DtnTime ends;
    bp::bpsec::WorkingKey working;
};

class KeySealer final : public BundleSealer {
public:
    explicit KeySealer(std::uint64_t node) : source_(bp::ipn_eid(node, 0)) {}

    void sign_with(const Key &key) { sign_.emplace(key); }
    void encrypt_with(const Key &key, std::unique_ptr<security::IvFile> file) {
        encrypt_.emplace(key);
        iv_file_ = std::move(file);
        ivs_.emplace(*iv_file_);
    }

    [[nodiscard]] Result<Bytes, std::string> seal(std::span<const ByteView> bundle,
                                                  DtnTime now) override {
        const auto view = bp::parse(bundle);
        if (!view) return fail(std::string(bp::to_string(view.error())));
        for (const auto *const key : {&sign_, &encrypt_})
            if (*key && !(*key)->is_valid(now)) return fail("key " + (*key)->id + " has expired");
        Verdict verdict = bundle_.read(bundle, *view);
        if (verdict && sign_) verdict = sign();
        if (verdict && encrypt_) verdict = encrypt();
        if (!verdict) return fail(std::string(bp::bpsec::to_string(verdict.error())));
        return rendered();
    }

private:
    // Before an encryption, the payload's signature is a block of its own, as nodes make it.
    [[nodiscard]] Verdict sign() {
        constexpr std::uint64_t kBoth[] = {kPrimary, kPayload};
        if (!encrypt_) return sign(kBoth);
        const Verdict first = sign(std::span(kBoth).first(1));
        return first ? sign(std::span(kBoth).last(1)) : first;
    }
    [[nodiscard]] Verdict sign(std::span<const std::uint64_t> targets) {
        bp::bpsec::SignRequest request{targets, {}, hash_of(sign_->working.algorithm())};
        request.block.source = source_;
        return bp::bpsec::sign(bundle_, request, sign_->working, random_);
    }
    [[nodiscard]] Verdict encrypt() {
        bp::bpsec::EncryptRequest request;
        request.targets = std::span(&kPayload, 1);
        request.block.source = source_;
        request.variant = cipher_of(encrypt_->working.algorithm());
        return bp::bpsec::encrypt(bundle_, request, encrypt_->working, *ivs_, random_);
    }
    [[nodiscard]] Bytes rendered() {
        bundle_.render(head_, tail_);
        Bytes whole;
        whole.reserve(head_.size() + bundle_.payload_size() + tail_.size());
        append(whole, head_);
        for (const ByteView piece : bundle_.payload()) append(whole, piece);
        append(whole, tail_);
        return whole;
    }

    bp::EidView source_;
    SystemRandom random_;
    std::optional<SourceKey> sign_;
    std::optional<SourceKey> encrypt_;
    std::unique_ptr<security::IvFile> iv_file_;
    std::optional<bp::bpsec::IvCounter> ivs_;
    bp::bpsec::SecuredBundle bundle_;
    Bytes head_;
    Bytes tail_;
};

}  // namespace

Result<std::unique_ptr<BundleSealer>, std::string> make_sealer(const SealOptions &options,
                                                               DtnTime now) {
    auto sealer = std::make_unique<KeySealer>(options.node);
    if (!options.sign.empty()) {
        const auto key = choose_key(parse_key_choice(options.sign), Service::kIntegrity, now);
        if (!key) return fail("--sign: " + key.error());
        sealer->sign_with(*key);
    }
    if (!options.encrypt.empty()) {
        const KeyChoice choice = parse_key_choice(options.encrypt);
        const auto key = choose_key(choice, Service::kConfidentiality, now);
        if (!key) return fail("--encrypt: " + key.error());
        auto ivs = open_ivs(ivs_beside(choice.file), options.node, *key);
        if (!ivs) return fail("--encrypt: " + ivs.error());
        sealer->encrypt_with(*key, std::move(*ivs));
    }
    return std::unique_ptr<BundleSealer>(std::move(sealer));
}

}  // namespace farlink::traffic

#else

namespace farlink::traffic {

Result<std::unique_ptr<BundleSealer>, std::string> make_sealer(const SealOptions &, DtnTime) {
    return fail(
        std::string("--sign, --encrypt: this build has no OpenSSL and does not support BPSec"));
}

}  // namespace farlink::traffic
#endif  // FARLINK_TLS
