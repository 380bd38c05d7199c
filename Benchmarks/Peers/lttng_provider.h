// One event of four 8-byte fields: the payload of a ring's record.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER ringside_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_provider.h"

#if !defined(LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_PROVIDER_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(
    ringside_bench, record,
    LTTNG_UST_TP_ARGS(uint64_t, time, uint64_t, value, uint64_t, meta, uint64_t, trace),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, time, time) lttng_ust_field_integer(uint64_t, value, value)
            lttng_ust_field_integer(uint64_t, meta, meta) lttng_ust_field_integer(uint64_t, trace, trace)))

#endif

#include <lttng/tracepoint-event.h>
