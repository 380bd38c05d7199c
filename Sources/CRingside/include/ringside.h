/* Ringside: the header that a bot includes. It brings in everything public of the C side.
 *
 *   layout    the bytes of a segment: structures, offsets, constants
 *   atomics   the few atomic accesses that the ring needs
 *   clock     ticks: one clock read, cheap if the processor allows it
 *   attach    open or create a segment as its one producer; register metrics; detach; errors
 *   adaptive  a ceiling on the records of a second
 *   emit      the hot path: counters, gauges, values, spans
 *   trace     traces that go from program to program: traceparent in and out, nested spans
 *   read      the readers' side: copy records out and know which copies are whole
 *   guard     zeros instead of a SIGBUS if a ring's file was truncated
 *   system    calls that Swift cannot make itself
 *
 * The emit half is `static inline`, allocates nothing, locks nothing and makes no system call. The other half lives once,
 * in the .c files beside the `include` folder, which are valid C11 and C++17.
 */
#ifndef RINGSIDE_H
#define RINGSIDE_H

#include "ringside_layout.h"
#include "ringside_atomics.h"
#include "ringside_clock.h"
#include "ringside_attach.h"
#include "ringside_adaptive.h"
#include "ringside_emit.h"
#include "ringside_trace.h"
#include "ringside_read.h"
#include "ringside_guard.h"
#include "ringside_system.h"

#endif
