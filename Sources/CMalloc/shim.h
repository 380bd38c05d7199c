// mallopt(3) is in glibc, but in no header of Swift's Glibc module.
#ifndef RINGSIDE_MALLOC_H
#define RINGSIDE_MALLOC_H

#include <malloc.h>

#endif
