// SHA-256 without a provider's fetch. The first EVP or SHA256() call makes libcrypto load its providers and settings: 2 MB in
// the memory of a process that may digest nothing but a key now and then, and locks at every call after it. The functions
// below are the same code without that; OpenSSL 3 discourages them because they know no other provider.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#undef OPENSSL_SUPPRESS_DEPRECATED

/// Writes the 32 bytes of the digest of `size` bytes; false where libcrypto refuses.
static inline int openssl_sha256(const void *message, size_t size, unsigned char *digest) {
    SHA256_CTX context;
    return SHA256_Init(&context) && SHA256_Update(&context, message, size) && SHA256_Final(digest, &context);
}
