/* The indexes of a registration: metrics by their identity and texts by their bytes. A look-up takes one step, however many
 * there are. An index is private memory of the bot. A hit counts only after it was compared with the table's own bytes. */
#include "private.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ENTRIES = 64 };

static uint64_t fold(uint64_t a, uint64_t b) {
    __extension__ typedef unsigned __int128 product;
    product wide = (product)a * b;
    return (uint64_t)wide ^ (uint64_t)(wide >> 64);
}

uint64_t ringside_hash(uint64_t seed, const void *bytes, size_t length) {
    const char *at = (const char *)bytes;
    uint64_t hash = seed ^ fold(length + 1, UINT64_C(0x9e3779b97f4a7c15)), word;
    for (; length >= sizeof word; length -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = fold(hash ^ word, UINT64_C(0xd6e8feb86659fd93));
    }
    word = 0;
    if (length > 0) memcpy(&word, at, length);
    return fold(hash ^ word, UINT64_C(0xa0761d6478bd642f));
}

/* Finds an entry under the hash. Begins at the hash's own place, or goes on from the last answer. */
int ringside_index_next(const struct ringside_index *index, uint64_t hash, uint32_t *place, uint32_t *value) {
    const uint32_t mask = index->capacity - 1;
    if (index->capacity == 0) return 0;
    *place = *place == RINGSIDE_INDEX_BEGIN ? (uint32_t)hash & mask : (*place + 1) & mask;
    for (; index->entries[*place].value_plus_one != 0; *place = (*place + 1) & mask) {
        if (index->entries[*place].tag != (uint32_t)(hash >> 32)) continue;
        *value = index->entries[*place].value_plus_one - 1;
        return 1;
    }
    return 0;
}

static void put(struct ringside_index *index, struct ringside_index_entry entry) {
    uint32_t place = entry.hash & (index->capacity - 1);
    while (index->entries[place].value_plus_one != 0) place = (place + 1) & (index->capacity - 1);
    index->entries[place] = entry;
    index->count++;
}

/* Keeps at most half of the places taken, so that a search ends soon. */
static int make_room(struct ringside_index *index) {
    struct ringside_index larger = {NULL, index->capacity ? index->capacity * 2 : (uint32_t)LEAST_ENTRIES, 0};
    if (index->count < index->capacity / 2) return 1;
    larger.entries = (struct ringside_index_entry *)calloc(larger.capacity, sizeof *larger.entries);
    if (!larger.entries) return 0;
    for (uint32_t place = 0; place < index->capacity; place++)
        if (index->entries[place].value_plus_one != 0) put(&larger, index->entries[place]);
    free(index->entries);
    *index = larger;
    return 1;
}

int ringside_index_add(struct ringside_index *index, uint64_t hash, uint32_t value) {
    struct ringside_index_entry entry = {(uint32_t)hash, (uint32_t)(hash >> 32), value + 1};
    if (!make_room(index)) return 0;
    put(index, entry);
    return 1;
}

void ringside_index_free(struct ringside_index *index) {
    free(index->entries);
    memset(index, 0, sizeof *index);
}
