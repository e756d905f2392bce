/*
 * Blocks and folds → text; see text_lines.h. Column widths are those of Pytorch-Memory-Utils.
 */
#include "viewer/render/text_lines.h"

#include <string.h>

#include "viewer/base/printable.h"
#include "viewer/frameworks/shape.h"
#include "viewer/symbols/places.h"

static void write_totals(const struct mt_text_lines *text, struct mt_line_totals totals) {
    struct mt_size_text used = mt_total_column(totals.used, text->units);
    if (text->host) {
        fprintf(text->out, "Total Host Memory:%-7sMb", used.text);
        return;
    }
    struct mt_size_text in_use = mt_total_column(totals.in_use, text->units);
    fprintf(text->out, "Total Tensor Used Memory:%-7sMb Total Allocated Memory:%-7sMb", used.text, in_use.text);
}

void mt_text_lines_header(const struct mt_text_lines *text, const char *when, struct mt_line_totals totals) {
    fprintf(text->out, "%s Memory Track | %s | ", text->host ? "Host" : "GPU", when);
    write_totals(text, totals);
    fprintf(text->out, "\n\n");
}

// The columns whose texts may be longer than Pytorch-Memory-Utils' are wide; a block's rows stand below each other.
struct columns {
    int size, api;
};

#define SIZE_COLUMN 29 // as wide as theirs with a count of one digit; of more, Size gives the room
#define API_COLUMN  20
#define AT_COLUMN   52 // "At " and what is at

struct cell {
    char text[128];
};

static struct cell size_cell(const struct mt_line_row *row) {
    struct cell cell;
    char bytes[32];
    snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)row->bytes);
    snprintf(cell.text, sizeof(cell.text), "%llu * Size:%s", (unsigned long long)row->count,
             row->shape ? row->shape : bytes);
    return cell;
}

static struct cell api_cell(const struct mt_line_row *row) {
    struct cell cell;
    snprintf(cell.text, sizeof(cell.text), "%s%s", row->api, row->segment ? ", segment" : "");
    return cell;
}

static void widen(int *column, const struct cell *cell) {
    int width = (int)strlen(cell->text);
    if (width > *column) *column = width;
}

static void write_row(const struct mt_text_lines *text, const struct columns *columns, const struct mt_line_row *row) {
    struct mt_size_text memory = mt_memory_column(row->bytes * row->count, text->units);
    static const char signs[] = {[MT_ROW_ALLOCATED] = '+', [MT_ROW_FREED] = '-', [MT_ROW_REFUSED] = '!'};
    fprintf(text->out, "%c | %-*s | Memory: %s | %-*s | %s\n", signs[row->kind], columns->size, size_cell(row).text,
            memory.text, columns->api, api_cell(row).text, mt_place_text(row->place).text);
}

static uint64_t difference(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

// What repeating did to the total: nothing, or so much every time, or so much in all. A leak must not hide in a fold.
static void write_growth(const struct mt_text_lines *text, const struct mt_fold *fold) {
    uint64_t first = fold->first.used, last = fold->last.used;
    if (first == last) return;
    uint64_t change = difference(first, last), times = fold->count - 1;
    struct mt_size_text from = mt_size(first, text->units), to = mt_size(last, text->units);
    struct mt_phrase each = mt_bytes(change % times ? change : change / times);
    fprintf(text->out, "%s from %s after the first to %s after the last: %s %s\n", last > first ? "grew" : "shrank",
            from.text, to.text, each.text, change % times ? "in all" : "each time");
}

static void write_block(const struct mt_text_lines *text, const struct mt_line_block *block,
                        struct mt_line_totals totals, uint64_t times) {
    struct columns columns = {.size = SIZE_COLUMN, .api = API_COLUMN};
    for (size_t i = 0; i < block->row_count; i++) {
        struct cell size = size_cell(&block->rows[i]), api = api_cell(&block->rows[i]);
        widen(&columns.size, &size);
        widen(&columns.api, &api);
    }
    for (size_t i = 0; i < block->row_count; i++) write_row(text, &columns, &block->rows[i]);
    struct mt_place_text at = mt_place_line_text(block->at);
    const char *word = block->since ? "Since" : "At";
    size_t wide = mt_columns(at.text) + strlen(word);
    fprintf(text->out, "%s %s%*s ", word, at.text, wide < AT_COLUMN ? (int)(AT_COLUMN - wide) : 0, "");
    write_totals(text, totals);
    if (times > 1) fprintf(text->out, " × %llu", (unsigned long long)times);
    fprintf(text->out, "\n");
}

void mt_text_lines_fold(const struct mt_text_lines *text, const struct mt_fold *fold) {
    if (fold->block) {
        write_block(text, fold->block, fold->last, 1);
        fprintf(text->out, "\n");
        return;
    }
    if (fold->child_count == 1 && fold->children[0]->block) {
        write_block(text, fold->children[0]->block, fold->last, fold->count);
        write_growth(text, fold);
        fprintf(text->out, "\n");
        return;
    }
    fprintf(text->out, "× %llu: the next %s %s repeated; totals as of the last time\n", (unsigned long long)fold->count,
            mt_counted(fold->child_count, "checkpoint").text, fold->child_count == 1 ? "was" : "were");
    write_growth(text, fold);
    fprintf(text->out, "\n");
    for (size_t i = 0; i < fold->child_count; i++) mt_text_lines_fold(text, fold->children[i]);
    fprintf(text->out, "× %llu ends\n\n", (unsigned long long)fold->count);
}
