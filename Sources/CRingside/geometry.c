/* The layout of a segment: the place of each region for given capacities. */
#include "private.h"

#include <string.h>

static uint64_t align(uint64_t bytes) {
    return (bytes + RINGSIDE_REGION_ALIGNMENT - 1) / RINGSIDE_REGION_ALIGNMENT * RINGSIDE_REGION_ALIGNMENT;
}

static uint64_t place(struct ringside_region *region, uint64_t offset, size_t item_bytes, uint32_t item_count) {
    region->offset = offset;
    region->item_bytes = (uint32_t)item_bytes;
    region->item_count = item_count;
    return offset + item_bytes * item_count;
}

/* Names and help repeat among the label values of a family and are stored once. So 256 bytes a metric are enough. */
static uint32_t text_bytes(uint32_t metric_capacity) { return 8192 + metric_capacity * 256; }

uint64_t ringside_geometry_lay_out(struct ringside_header *header, struct ringside_geometry geometry) {
    uint32_t metrics = geometry.metric_capacity;
    uint64_t end = sizeof(struct ringside_header);
    end = place(&header->lives, end, sizeof(struct ringside_life), RINGSIDE_LIFE_SLOTS);
    end = place(&header->metrics, end, sizeof(struct ringside_metric), metrics);
    end = place(&header->text, end, 1, text_bytes(metrics));
    end = place(&header->control, align(end), sizeof(struct ringside_control_line), 1);
    end = place(&header->control_words, end, sizeof(uint32_t), metrics);
    end = place(&header->producer, align(end), sizeof(struct ringside_producer_line), 1);
    /* Directly behind the line, because an emit finds the line by its cells. */
    end = place(&header->cells, end, sizeof(struct ringside_cell), metrics);
    end = place(&header->records, align(end), sizeof(struct ringside_record), geometry.capacity_records);
    header->header_bytes = sizeof(struct ringside_header);
    header->segment_bytes = align(end);
    return header->segment_bytes;
}

int ringside_geometry_matches(const struct ringside_header *header, uint64_t file_bytes,
                              struct ringside_geometry geometry) {
    struct ringside_header expected;
    memset(&expected, 0, sizeof expected);
    uint64_t bytes = ringside_geometry_lay_out(&expected, geometry);
    return header->version == RINGSIDE_ABI_VERSION && file_bytes == bytes && header->segment_bytes == bytes
        && header->header_bytes == expected.header_bytes
        && memcmp(&header->lives, &expected.lives, sizeof(struct ringside_region) * 8) == 0;
}
