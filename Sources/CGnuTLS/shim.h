// What the HTTP server needs of GnuTLS, which libmicrohttpd serves TLS with: a certificate that can be changed while it
// serves, and a keyed hash.
#ifndef RINGSIDE_GNUTLS_H
#define RINGSIDE_GNUTLS_H

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stddef.h>

/// Reads a chain of certificates and the first one's key, both PEM; 0, or an error of GnuTLS, which is negative.
static inline int ringside_tls_credentials(const void *certificate, size_t certificate_size, const void *key,
                                           size_t key_size, gnutls_certificate_credentials_t *credentials) {
    gnutls_datum_t chain = {(unsigned char *)certificate, (unsigned)certificate_size};
    gnutls_datum_t secret = {(unsigned char *)key, (unsigned)key_size};
    int code = gnutls_certificate_allocate_credentials(credentials);
    if (code < 0) return code;
    code = gnutls_certificate_set_x509_key_mem(*credentials, &chain, &secret, GNUTLS_X509_FMT_PEM);
    if (code < 0) gnutls_certificate_free_credentials(*credentials);
    return code < 0 ? code : 0;
}

/// Has a session that has not begun its handshake show these; they must outlive it.
static inline void ringside_tls_use(void *session, gnutls_certificate_credentials_t credentials) {
    (void)gnutls_credentials_set((gnutls_session_t)session, GNUTLS_CRD_CERTIFICATE, credentials);
}

/// SHA-256 into 32 bytes; 0 where it cannot be done.
static inline int ringside_sha256(const void *bytes, size_t size, void *digest) {
    return gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes, size, digest) == 0;
}

/// HMAC-SHA-256 into 32 bytes; 0 where it cannot be done.
static inline int ringside_hmac(const void *key, size_t key_size, const void *bytes, size_t size, void *digest) {
    return gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key_size, bytes, size, digest) == 0;
}

#endif
