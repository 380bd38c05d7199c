/* The bytes of a segment: the one place that defines where everything lies. Little-endian throughout.
 *
 * A segment is one file, one ring, one producer. Its regions stand in this order. The three groups with different writers begin
 * on a 64 KiB boundary each, so that they can be mapped with different rights on any page size.
 *
 *   default offset                                                    written by            read by
 *   0x000000  +--------------------------------------------------+
 *             | header            512 bytes                      |    producer, at attach   all
 *   0x000200  | lives             16 entries of 256 bytes        |    producer, at attach   all
 *   0x001200  | metrics           512 slots of 64 bytes          |    producer, register    all
 *   0x009200  | text arena        append-only                    |    producer, register    all
 *   0x030000  +==================================================+
 *             | control line      256 bytes                      |    operator's tool       producer, all
 *   0x030100  | control words     512 words of 4 bytes           |    operator's tool       producer, all
 *   0x040000  +==================================================+
 *             | producer line     256 bytes                      |    producer, each emit   all
 *   0x040100  | cells             512 cells of 16 bytes          |    producer, each emit   all
 *   0x050000  +==================================================+
 *             | records           131,072 records of 32 bytes    |    producer, each emit   all
 *   0x450000  +--------------------------------------------------+    4,521,984 bytes
 *
 * Every offset, item size and item count is read from the header and checked before use: the figures above are the defaults of
 * this version and may change.
 *
 * The life of the file name, and the party that makes each step:
 *
 *   (none) --create--> linked, locked --detach--> linked, closed mark, unlocked --attach--> linked, locked ...
 *            producer         |          producer                                producer
 *                             +--death--> linked, no closed mark, unlocked (the kernel drops the lock)
 *
 * Reserved bytes are zero. A reader accepts an unknown minor version and refuses an unknown major one.
 */
#ifndef RINGSIDE_LAYOUT_H
#define RINGSIDE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define RINGSIDE_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define RINGSIDE_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Ringside segments are little-endian; this processor is not."
#endif

/* Versions: the major number is in the upper 16 bits. 1.0 is the first declared version. The rings of every version are kept as
 * test vectors (Tests/RingReaderTests/Vectors), which every later reader reads in the same way. A minor version may make the
 * header and any item longer and give a meaning to reserved bytes and bits. It may also add kinds of records: older readers
 * count them as corrupt, or pass over them if the record has the flag ABANDONED. Any other change is a new major version. A
 * ring of any other version is replaced at the next attach.
 *
 *   1.0  the first
 *   1.1  a life has a trace prefix; records of the kinds TRACE_CONTEXT and SPAN_LINK; the flags IN_CONTEXT and LINKED */
enum {
    RINGSIDE_ABI_MAJOR = 1,
    RINGSIDE_ABI_MINOR = 1,
    RINGSIDE_ABI_VERSION = (RINGSIDE_ABI_MAJOR << 16) | RINGSIDE_ABI_MINOR
};

#define RINGSIDE_MAGIC "RINGSIDE" /* 8 bytes, no terminator in the file */
#define RINGSIDE_ENDIAN_TAG 0x01020304u
#define RINGSIDE_FILE_PREFIX "ringside."
#define RINGSIDE_DEFAULT_DIRECTORY "/dev/shm"
#define RINGSIDE_CONTROL_FILE ".ringside-control"

/* The limits. Longer text is refused, never cut. */
enum {
    RINGSIDE_REGION_ALIGNMENT = 65536,
    RINGSIDE_NAME_BYTES = 64,            /* a ring's name, lane and dot included */
    RINGSIDE_METRIC_NAME_BYTES = 128,
    RINGSIDE_HELP_BYTES = 512,
    RINGSIDE_LABELS = 16,                /* labels of one metric, or of the bot */
    RINGSIDE_LABEL_NAME_BYTES = 32,
    RINGSIDE_LABEL_VALUE_BYTES = 128,
    RINGSIDE_LIFE_SLOTS = 16,
    RINGSIDE_METRIC_CAPACITY_DEFAULT = 512,
    RINGSIDE_METRIC_CAPACITY_MAX = 32768,
    RINGSIDE_CAPACITY_DEFAULT = 131072,  /* records */
    RINGSIDE_CAPACITY_MIN = 2,
    RINGSIDE_CAPACITY_MAX = 1 << 26
};

/* One region of the segment: its beginning, the size of an item, and the number of items. */
struct ringside_region {
    uint64_t offset;
    uint32_t item_bytes;
    uint32_t item_count;
};

/* A piece of the text arena in one word, so that it is read and written whole:
 * offset in the low 32 bits, then 16 bits of length in bytes, then 16 bits of count (labels: how many; else 0). */
typedef uint64_t ringside_text;

/* The file's first bytes. Apart from the attach line, all of it is fixed before the file gets its name. */
struct ringside_header {
    uint8_t magic[8];
    uint32_t endian_tag;
    uint32_t version;                 /* stored last, with release (edge: VERSION) */
    uint64_t segment_bytes;
    uint64_t created_realtime_ns;     /* Unix time */
    uint8_t ring_id[16];              /* random, for as long as the file lives */
    uint8_t boot_id[16];              /* the boot of the machine; ticks of another boot mean nothing */
    uint32_t header_bytes;
    uint32_t reserved_0;
    struct ringside_region lives;
    struct ringside_region metrics;
    struct ringside_region text;
    struct ringside_region control;
    struct ringside_region control_words;
    struct ringside_region producer;
    struct ringside_region cells;
    struct ringside_region records;
    uint8_t reserved_1[56];
    /* The attach line: it changes at an attach or a registration, never at an emit. */
    uint64_t life_count;              /* lives ever begun (edge: LIFE); life k lies in slot (k - 1) mod slots */
    uint64_t text_bytes_used;
    uint64_t tick_hz;                 /* ticks a second as last calibrated by the producer; 0 if unknown */
    uint8_t reserved_2[232];
};

/* The kind of clock that a life's ticks come from. */
enum ringside_clock_kind {
    RINGSIDE_CLOCK_NONE = 0,
    RINGSIDE_CLOCK_TSC = 1,           /* x86-64 time-stamp counter */
    RINGSIDE_CLOCK_CNTVCT = 2,        /* arm64 virtual counter */
    RINGSIDE_CLOCK_MONOTONIC = 3      /* CLOCK_MONOTONIC in nanoseconds: a tick is a nanosecond */
};

/* Calls whose cost is measured at attach, in this order. */
enum ringside_call {
    RINGSIDE_CALL_COUNTER = 0,
    RINGSIDE_CALL_GAUGE = 1,
    RINGSIDE_CALL_VALUE = 2,
    RINGSIDE_CALL_TIMED_VALUE = 3,    /* also a stopwatch lap: one clock read, one record */
    RINGSIDE_CALL_SPAN = 4,
    RINGSIDE_CALL_CLOCK = 5,
    RINGSIDE_CALLS = 8
};

/* One attach. A record belongs to the life whose range of positions contains it. */
struct ringside_life {
    uint64_t first_position;
    uint64_t anchor_ticks;            /* the three clocks, read together at attach */
    uint64_t anchor_monotonic_ns;
    uint64_t anchor_realtime_ns;
    uint32_t clock_kind;              /* enum ringside_clock_kind */
    int32_t pid;                      /* in the bot's own pid namespace: shown, never relied on */
    uint64_t pid_namespace;           /* inode of /proc/self/ns/pid */
    uint64_t process_start_ticks;     /* field 22 of /proc/self/stat, proc(5) */
    ringside_text labels;             /* the bot's constant labels in this life */
    uint32_t call_cost_ps[RINGSIDE_CALLS]; /* picoseconds a call, enum ringside_call */
    char command[16];                 /* /proc/self/comm, zero-padded */
    uint64_t trace_prefix;            /* 1.1: the high half of the trace ids that this life makes, random; 0 in a ring of 1.0 */
    uint8_t reserved[136];
};

/* The kind of a metric. */
enum ringside_kind {
    RINGSIDE_KIND_COUNTER = 1,
    RINGSIDE_KIND_UP_DOWN_COUNTER = 2,
    RINGSIDE_KIND_GAUGE = 3,
    RINGSIDE_KIND_HISTOGRAM = 4
};

/* The type of a metric's numbers. */
enum ringside_number {
    RINGSIDE_NUMBER_U64 = 1,
    RINGSIDE_NUMBER_I64 = 2,
    RINGSIDE_NUMBER_F64 = 3
};

/* The unit of a metric, which is also the suffix of its name. */
enum ringside_unit {
    RINGSIDE_UNIT_NONE = 0,
    RINGSIDE_UNIT_SECONDS = 1,
    RINGSIDE_UNIT_BYTES = 2,
    RINGSIDE_UNIT_RATIO = 3,
    RINGSIDE_UNIT_USD = 4,
    RINGSIDE_UNIT_BPS = 5,
    RINGSIDE_UNITS = 6
};

/* The form of a record's value. */
enum ringside_encoding {
    RINGSIDE_ENCODING_TICKS = 1,      /* a duration in ticks of the life's clock */
    RINGSIDE_ENCODING_NANOSECONDS = 2,
    RINGSIDE_ENCODING_NUMBER = 3      /* in the metric's number type and unit */
};

/* Bits of a metric's options. */
enum ringside_metric_option {
    RINGSIDE_METRIC_EVERY_CHANGE = 1  /* a gauge that also writes a record at each set */
};

/* One metric. Apart from the life, it is fixed once the count that covers it is published. */
struct ringside_metric {
    uint8_t kind;
    uint8_t number;
    uint8_t unit;
    uint8_t encoding;                 /* of a histogram's records by default */
    uint8_t options;                  /* enum ringside_metric_option */
    uint8_t reserved_0[3];
    ringside_text name;
    ringside_text help;
    ringside_text labels;             /* sorted by name: u8 name bytes, u8 value bytes, name, value; and again */
    uint64_t life;                    /* the life in which it was last registered (edge: METRIC_LIFE) */
    uint8_t reserved_1[24];
};

/* Two words that only the producer writes. They are exact whatever happens to the ring.
 *   counter                 total, 0
 *   gauge, up-down counter  value, highest value of this life; unset is RINGSIDE_UNSET
 *   histogram               calls, abandoned */
struct ringside_cell {
    uint64_t first;
    uint64_t second;
};

/* The value of a gauge that was never set in this life: a quiet NaN with a payload of its own. */
#define RINGSIDE_UNSET 0x7ff8524e47534944ull

/* The producer's public line. Its position is the only word by which the ring synchronises. */
struct ringside_producer_line {
    uint64_t position;                /* records ever published (edge: PUBLISH) */
    uint64_t metric_count;            /* slots filled (edge: REGISTER) */
    uint64_t sampled_out;             /* calls that sampling left unwritten */
    uint64_t refused_metrics;         /* registrations refused: table or arena full, bad name ... */
    uint32_t sampling_n;              /* 1-in-N in force at the last call that was drawn; 0 if none was */
    uint32_t closed;                  /* 1 after a clean close (edge: CLOSE) */
    uint8_t reserved[216];
};

/* The control line. The operator's tool writes control words; the producer obeys them at its next emit. */
struct ringside_control_line {
    uint32_t default_word;            /* for metrics registered later */
    uint32_t reserved_0;
    uint64_t changes;                 /* grows with every change, so that a reader knows that a window was touched */
    uint8_t reserved_1[240];
};

/* A control word. The low 16 bits are N of 1-in-N (1: all), and bit 16 means enabled. Zero is disabled. */
#define RINGSIDE_CONTROL_ENABLED 0x10000u
#define RINGSIDE_CONTROL_N_MASK 0xffffu
#define RINGSIDE_CONTROL_ALL (RINGSIDE_CONTROL_ENABLED | 1)

/* A record, in four words. `meta` from its low end:
 *   bits  0-15  metric id
 *   bits 16-31  weight: the record stands for this many
 *   bits 32-47  flags (below)
 *   bits 48-63  lap: low 16 bits of index / capacity + 1 */
struct ringside_record {
    uint64_t time;                    /* ticks; for a span its END; 0 without RINGSIDE_FLAG_HAS_TIME */
    uint64_t value;
    uint64_t meta;
    uint64_t trace_id;                /* the low half of a trace's id, or the high half if the low one is 0; 0 no trace */
};

/* Records of 1.1 without a value. Both have the id of a histogram and the flag ABANDONED. So a collector of 1.0 takes them for
 * spans without an end: it counts them as read and shows them nowhere.
 *
 *                TRACE_CONTEXT                               SPAN_LINK: of the record that comes next
 *   time         high half of the trace id                   the span's id
 *   value        id of the span in the calling program       id of the span's parent; 0 none
 *   weight       bits 0-7: trace flags (W3C)                 the same, and bit 8: the parent is in the calling program
 *   trace_id     low half of the trace id                    as in the next record
 *
 * A context applies to later records of its ring with the same trace id, until the next context with this id. */
enum { RINGSIDE_LINK_FLAGS_MASK = 0xff, RINGSIDE_LINK_REMOTE_PARENT = 0x100 };

/* The flags of a record. Bits 12-15 are reserved. */
enum {
    RINGSIDE_FLAG_KIND_MASK = 0x000f, /* enum ringside_record_kind */
    RINGSIDE_FLAG_ENCODING_SHIFT = 4,
    RINGSIDE_FLAG_ENCODING_MASK = 0x0070, /* enum ringside_encoding */
    RINGSIDE_FLAG_HAS_TIME = 0x0080,
    RINGSIDE_FLAG_FAILED = 0x0100,    /* a span that ended in an error: in the percentiles, and counted apart */
    RINGSIDE_FLAG_ABANDONED = 0x0200, /* a span dropped without an end: in no percentile */
    RINGSIDE_FLAG_IN_CONTEXT = 0x0400, /* 1.1: its trace came from another program; a TRACE_CONTEXT was written before */
    RINGSIDE_FLAG_LINKED = 0x0800     /* 1.1: the record before it is its SPAN_LINK */
};

/* The kind of a record. A reader counts an unknown kind as corrupt, unless the record has the flag ABANDONED. */
enum ringside_record_kind {
    RINGSIDE_RECORD_INVALID = 0,      /* untouched memory */
    RINGSIDE_RECORD_SAMPLE = 1,       /* one value of a histogram */
    RINGSIDE_RECORD_GAUGE = 2,        /* a set of a gauge that records every change */
    RINGSIDE_RECORD_TRACE_CONTEXT = 3, /* 1.1 */
    RINGSIDE_RECORD_SPAN_LINK = 4     /* 1.1 */
};

#define RINGSIDE_ASSERT_SIZE(type, bytes) RINGSIDE_STATIC_ASSERT(sizeof(struct type) == (bytes), #type " size")
#define RINGSIDE_ASSERT_AT(type, field, bytes) \
    RINGSIDE_STATIC_ASSERT(offsetof(struct type, field) == (bytes), #type "." #field " offset")

RINGSIDE_ASSERT_SIZE(ringside_region, 16);

RINGSIDE_ASSERT_SIZE(ringside_header, 512);
RINGSIDE_ASSERT_AT(ringside_header, magic, 0);
RINGSIDE_ASSERT_AT(ringside_header, endian_tag, 8);
RINGSIDE_ASSERT_AT(ringside_header, version, 12);
RINGSIDE_ASSERT_AT(ringside_header, segment_bytes, 16);
RINGSIDE_ASSERT_AT(ringside_header, created_realtime_ns, 24);
RINGSIDE_ASSERT_AT(ringside_header, ring_id, 32);
RINGSIDE_ASSERT_AT(ringside_header, boot_id, 48);
RINGSIDE_ASSERT_AT(ringside_header, header_bytes, 64);
RINGSIDE_ASSERT_AT(ringside_header, lives, 72);
RINGSIDE_ASSERT_AT(ringside_header, metrics, 88);
RINGSIDE_ASSERT_AT(ringside_header, text, 104);
RINGSIDE_ASSERT_AT(ringside_header, control, 120);
RINGSIDE_ASSERT_AT(ringside_header, control_words, 136);
RINGSIDE_ASSERT_AT(ringside_header, producer, 152);
RINGSIDE_ASSERT_AT(ringside_header, cells, 168);
RINGSIDE_ASSERT_AT(ringside_header, records, 184);
RINGSIDE_ASSERT_AT(ringside_header, reserved_1, 200);
RINGSIDE_ASSERT_AT(ringside_header, life_count, 256);
RINGSIDE_ASSERT_AT(ringside_header, text_bytes_used, 264);
RINGSIDE_ASSERT_AT(ringside_header, tick_hz, 272);
RINGSIDE_ASSERT_AT(ringside_header, reserved_2, 280);

RINGSIDE_ASSERT_SIZE(ringside_life, 256);
RINGSIDE_ASSERT_AT(ringside_life, first_position, 0);
RINGSIDE_ASSERT_AT(ringside_life, anchor_ticks, 8);
RINGSIDE_ASSERT_AT(ringside_life, anchor_monotonic_ns, 16);
RINGSIDE_ASSERT_AT(ringside_life, anchor_realtime_ns, 24);
RINGSIDE_ASSERT_AT(ringside_life, clock_kind, 32);
RINGSIDE_ASSERT_AT(ringside_life, pid, 36);
RINGSIDE_ASSERT_AT(ringside_life, pid_namespace, 40);
RINGSIDE_ASSERT_AT(ringside_life, process_start_ticks, 48);
RINGSIDE_ASSERT_AT(ringside_life, labels, 56);
RINGSIDE_ASSERT_AT(ringside_life, call_cost_ps, 64);
RINGSIDE_ASSERT_AT(ringside_life, command, 96);
RINGSIDE_ASSERT_AT(ringside_life, trace_prefix, 112);
RINGSIDE_ASSERT_AT(ringside_life, reserved, 120);

RINGSIDE_ASSERT_SIZE(ringside_metric, 64);
RINGSIDE_ASSERT_AT(ringside_metric, kind, 0);
RINGSIDE_ASSERT_AT(ringside_metric, number, 1);
RINGSIDE_ASSERT_AT(ringside_metric, unit, 2);
RINGSIDE_ASSERT_AT(ringside_metric, encoding, 3);
RINGSIDE_ASSERT_AT(ringside_metric, options, 4);
RINGSIDE_ASSERT_AT(ringside_metric, name, 8);
RINGSIDE_ASSERT_AT(ringside_metric, help, 16);
RINGSIDE_ASSERT_AT(ringside_metric, labels, 24);
RINGSIDE_ASSERT_AT(ringside_metric, life, 32);

RINGSIDE_ASSERT_SIZE(ringside_cell, 16);
RINGSIDE_ASSERT_AT(ringside_cell, second, 8);

RINGSIDE_ASSERT_SIZE(ringside_producer_line, 256);
RINGSIDE_ASSERT_AT(ringside_producer_line, position, 0);
RINGSIDE_ASSERT_AT(ringside_producer_line, metric_count, 8);
RINGSIDE_ASSERT_AT(ringside_producer_line, sampled_out, 16);
RINGSIDE_ASSERT_AT(ringside_producer_line, refused_metrics, 24);
RINGSIDE_ASSERT_AT(ringside_producer_line, sampling_n, 32);
RINGSIDE_ASSERT_AT(ringside_producer_line, closed, 36);

RINGSIDE_ASSERT_SIZE(ringside_control_line, 256);
RINGSIDE_ASSERT_AT(ringside_control_line, default_word, 0);
RINGSIDE_ASSERT_AT(ringside_control_line, changes, 8);

RINGSIDE_ASSERT_SIZE(ringside_record, 32);
RINGSIDE_ASSERT_AT(ringside_record, time, 0);
RINGSIDE_ASSERT_AT(ringside_record, value, 8);
RINGSIDE_ASSERT_AT(ringside_record, meta, 16);
RINGSIDE_ASSERT_AT(ringside_record, trace_id, 24);

/* Returns the lap number of the record at `index` in a ring of `1 << shift` records. */
static inline uint64_t ringside_lap(uint64_t index, uint32_t shift) {
    return ((index >> shift) + 1) & 0xffff;
}

/* Makes the word of a piece of the text arena. `bytes` and `count` must be below 2^16. */
static inline ringside_text ringside_text_make(uint32_t offset, uint32_t bytes, uint32_t count) {
    return (uint64_t)offset | ((uint64_t)(bytes & 0xffff) << 32) | ((uint64_t)(count & 0xffff) << 48);
}
/* Return the parts of the word: the offset, the length in bytes, and the number of labels. */
static inline uint32_t ringside_text_offset(ringside_text text) { return (uint32_t)text; }
static inline uint32_t ringside_text_bytes(ringside_text text) { return (uint32_t)(text >> 32) & 0xffff; }
static inline uint32_t ringside_text_count(ringside_text text) { return (uint32_t)(text >> 48); }

#endif
