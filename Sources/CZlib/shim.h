// The checksum of a capture (crc32_z), and what compresses.
#ifndef RINGSIDE_ZLIB_H
#define RINGSIDE_ZLIB_H

#include <zlib.h>

/// deflateInit2, a macro, for a stream in the form of gzip (RFC 1952) at a level from 1 to 9.
static inline int ringside_gzip_begin(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

#endif
