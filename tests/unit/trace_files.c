/*
 * Folders, bytes and whole traces for the tracer's tests.
 */
#include "tests/unit/trace_files.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

int folder_make(void **state) {
    const char *base = getenv("TMPDIR");
    char *folder = NULL;
    if (asprintf(&folder, "%s/memtrace-test-XXXXXX", base != NULL ? base : "/tmp") < 0) return -1;
    if (mkdtemp(folder) == NULL) return -1;
    *state = folder;
    return 0;
}

int folder_remove(void **state) {
    DIR *folder = opendir(*state);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char *path = path_in(state, entry->d_name);
        if (entry->d_name[0] != '.' && unlink(path) != 0) rmdir(path);
        free(path);
    }
    if (folder != NULL) closedir(folder);
    int failed = rmdir(*state);
    free(*state);
    return failed;
}

char *path_in(void **state, const char *name) {
    char *path = NULL;
    assert_true(asprintf(&path, "%s/%s", (const char *)*state, name) > 0);
    return path;
}

struct bytes bytes_read(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    struct bytes bytes = {.count = (size_t)ftell(file)};
    rewind(file);
    bytes.data = malloc(bytes.count + 1);
    assert_non_null(bytes.data);
    assert_int_equal(fread(bytes.data, 1, bytes.count, file), bytes.count);
    fclose(file);
    return bytes;
}

void bytes_write(const char *path, const void *data, size_t count) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void *make_room(void *array, size_t count, size_t bytes) {
    if (count != 0 && (count & (count - 1)) != 0) return array;
    void *grown = reallocarray(array, count == 0 ? 1 : 2 * count, bytes);
    assert_non_null(grown);
    return grown;
}

static int keep_definition(void *user, const struct mt_definition *definition) {
    struct whole *whole = user;
    whole->definitions = make_room(whole->definitions, whole->definition_count, sizeof *definition);
    whole->definitions[whole->definition_count++] = *definition;
    return 0;
}

static int keep_event(void *user, const struct mt_record_event *event) {
    struct whole *whole = user;
    whole->events = make_room(whole->events, whole->event_count, sizeof *event);
    whole->events[whole->event_count++] = *event;
    whole->lost += event->lost;
    return 0;
}

struct whole whole_read(const char *path) {
    struct whole whole = {0};
    whole.status = mt_reader_open(path, &whole.reader, &whole.version);
    if (whole.status != MT_OPEN_OK) return whole;
    whole.header = *mt_reader_header(whole.reader);
    assert_int_equal(mt_reader_definitions(whole.reader, keep_definition, &whole), 0);
    assert_int_equal(mt_reader_events(whole.reader, keep_event, &whole), 0);
    whole.damage = mt_reader_damage(whole.reader);
    return whole;
}

void whole_free(struct whole *whole) {
    mt_reader_close(whole->reader);
    free(whole->definitions);
    free(whole->events);
    *whole = (struct whole){0};
}

const struct mt_definition *whole_find(const struct whole *whole, enum mt_record type, uint32_t id) {
    const struct mt_definition *found = NULL;
    for (size_t i = 0; i < whole->definition_count; i++) {
        const struct mt_definition *definition = &whole->definitions[i];
        if (definition->type != type || definition->id != id) continue;
        assert_null(found);
        found = definition;
    }
    assert_non_null(found);
    return found;
}

size_t whole_count(const struct whole *whole, enum mt_record type) {
    size_t count = 0;
    for (size_t i = 0; i < whole->definition_count; i++) count += whole->definitions[i].type == type;
    return count;
}

bool whole_says(const struct whole *whole, uint32_t id, const char *text) {
    const struct mt_definition *string = whole_find(whole, MT_RECORD_STRING, id);
    return string->data_bytes == strlen(text) && memcmp(string->data, text, string->data_bytes) == 0;
}

struct mt_trace *trace_make(const char *path) {
    struct mt_trace *trace = NULL;
    assert_int_equal(mt_trace_create(path, &trace), 0);
    assert_non_null(trace);
    return trace;
}

int child_wait(pid_t pid) {
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

enum { NO_FILTER = 77 };

void child_behind(bool (*filter)(void), int (*work)(const char *path), const char *path, int expected) {
    pid_t child = fork();
    if (child == 0) _exit(filter == NULL || filter() ? work(path) : NO_FILTER);
    int code = child_wait(child);
    if (code == NO_FILTER) skip();
    assert_int_equal(code, expected);
}
