// crypt(3) of libxcrypt: passwords as they stand in a "passwd" file. crypt_data is 32 KiB, too large for a stack frame of
// Swift's to be made of it, so that the reentrant form is called here.
#ifndef RINGSIDE_CRYPT_H
#define RINGSIDE_CRYPT_H

#include <crypt.h>
#include <stdlib.h>
#include <string.h>

/// Hashes a password as `hash` says into `output`, of at least CRYPT_OUTPUT_SIZE bytes; 0 where that cannot be done.
static inline int ringside_crypt(const char *password, const char *hash, char *output) {
    int size = 0;
    void *data = NULL;
    const char *made = crypt_ra(password, hash, &data, &size);
    if (made) {
        strncpy(output, made, CRYPT_OUTPUT_SIZE - 1);
        output[CRYPT_OUTPUT_SIZE - 1] = 0;
    }
    if (data) explicit_bzero(data, (size_t)size);
    free(data);
    return made != NULL;
}

/// Whether it is a hash of a kind that is held to be safe; SHA-256's is, though libxcrypt counts it among the old ones.
static inline int ringside_crypt_is_sound(const char *hash) {
    const int answer = crypt_checksalt(hash);
    return answer == CRYPT_SALT_OK || (answer == CRYPT_SALT_METHOD_LEGACY && strncmp(hash, "$5$", 3) == 0);
}

#endif
