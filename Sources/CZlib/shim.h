// The checksum of a capture (crc32_z); what compresses comes with it.
#ifndef RINGSIDE_ZLIB_H
#define RINGSIDE_ZLIB_H

#include <zlib.h>

#endif
