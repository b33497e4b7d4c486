// What OpenSSL offers as macros only, as functions: Swift does not import macros that do something.
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/// How a session works on a non-blocking socket: a write may end between records and go on from memory elsewhere, and as much is
/// received at once as there is.
static inline void openssl_set_nonblocking_modes(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(context, 1);
}

/// No renegotiation, no compression, no early data, and no sessions kept in memory: tickets do their work.
static inline void openssl_refuse_extras(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_max_early_data(context, 0);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

static inline int openssl_set_minimum_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline int openssl_set_groups(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_groups_list(context, list);
}

/// The certificate is counted once more.
static inline int openssl_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline void openssl_on_server_name(SSL_CTX *context, int (*callback)(SSL *, int *, void *), void *argument) {
    SSL_CTX_set_tlsext_servername_callback(context, callback);
    SSL_CTX_set_tlsext_servername_arg(context, argument);
}

static inline void openssl_set_server_name(SSL *session, const char *name) {
    SSL_set_tlsext_host_name(session, name);
}

/// Says of a BIO's last call that it is to be made again.
static inline void openssl_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void openssl_retry_write(BIO *bio) { BIO_set_retry_write(bio); }
static inline void openssl_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

static inline int openssl_error_library(unsigned long code) { return ERR_GET_LIB(code); }
static inline int openssl_error_reason(unsigned long code) { return ERR_GET_REASON(code); }
