/*
 * libFuzzer's entry into the trace reader: any bytes at all must open or be refused, and be read to the end, without a
 * crash, a leak or an endless loop. `make fuzz` runs it; the seeds are real traces of the simulated device.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracer/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t most); // libFuzzer's own

static int ignore_definition(void *user, const struct mt_definition *definition) {
    // Touch the text, so that a length that points outside the file is found out.
    uint64_t *sum = user;
    for (size_t i = 0; i < definition->data_bytes; i++) *sum += definition->data[i];
    return 0;
}

static int ignore_event(void *user, const struct mt_record_event *event) {
    uint64_t *last_ns = user;
    if (event->time_ns > *last_ns) *last_ns = event->time_ns;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    const int file = memfd_create("fuzz", 0);
    if (file < 0) return 0;
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    struct mt_reader *reader;
    uint32_t version;
    if (write(file, data, bytes) == (ssize_t)bytes && mt_reader_open(path, &reader, &version) == MT_OPEN_OK) {
        uint64_t sum = 0;
        mt_reader_definitions(reader, ignore_definition, &sum);
        mt_reader_events(reader, ignore_event, &sum);
        mt_reader_damage(reader);
        mt_reader_close(reader);
    }
    close(file);
    return 0;
}

// Opens the seal of every chunk: behind a checksum that fails, nothing would ever be decoded.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned int seed) {
    bytes = LLVMFuzzerMutate(data, bytes, most);
    const size_t sealed = offsetof(struct mt_chunk_header, sealed);
    for (size_t at = MT_HEADER_BYTES; seed % 8 != 0 && at + sizeof(struct mt_chunk_header) <= bytes;
         at += MT_CHUNK_BYTES)
        data[at + sealed] = data[at + sealed + 1] = 0;
    return bytes;
}
