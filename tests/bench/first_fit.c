/* First fit in C: all of the kernel's work on the kernel's own arrays. */

#include <math.h>
#include <stdint.h>

typedef int64_t i64;
typedef int32_t i32;
typedef uint64_t u64;

/* As in model/kinds/reservation. */

enum { EVENT, NEXT_ARRIVAL, NEXT_STAMP, FREE, DEPARTURES, I_STAR };
enum { ARRIVED, ADMITTED, REJECTED, DEPARTED, TALLIES = 6 };
enum { FLAG_ADMITTED = 1, FLAG_REJECTED = 2, FLAG_DEPARTED = 4 };
enum { ARRIVAL = 1, DEPARTURE = 2 };

/* The members are in the order in which the caller lists them. */
typedef struct {
    i64 *number; double *clock; i32 *configuration, *placement; i64 *stamp, *jobs_in_system, *slots_in_system, *tally;
    double *area, *since; i32 *greedy_configuration; i64 *greedy_count, *job_number; i32 *job_type, *job_server;
    double *job_arrival, *job_departure; i32 *job_next, *job_previous, *first_job, *free_record;
    double *heap_time; i32 *heap_record; u64 *trail; double *memory;
    u64 *room, *room_summary; i64 *used, *maximal;
    i64 *demand, *capacity; double *time; i32 *type; double *service;
    i64 types, resources, words, groups, first, jobs, initial;
} System;

typedef struct __attribute__((packed)) {
    i64 event; double time; i64 job, moved; u64 trail;
    i32 server, source, reassigned, first_reassigned, empty_slots, with_room, preempted;
    int16_t i_star, type; uint16_t flags; uint8_t kind;
} Row;

#define SYSTEM System
#include "kernel_parts.h"

static i64 first_member(const u64 *words, const u64 *summary, i64 groups) {
    for (i64 group = 0; group < groups; group++) {
        if (!summary[group]) continue;
        i64 word = (group << 6) + __builtin_ctzll(summary[group]);
        return (word << 6) + __builtin_ctzll(words[word]);
    }
    return -1;
}

/* A job comes to (1) or leaves (-1) a server: sums up to now, and the server is looked at again. */
static void follow(System *s, i64 server, i64 type, i64 by) {
    s->area[type] += s->jobs_in_system[type] * (s->clock[0] - s->since[type]);
    s->since[type] = s->clock[0];
    s->jobs_in_system[type] += by;
    s->placement[server * s->types + type] += by;
    s->slots_in_system[type] += by;
    s->configuration[server * s->types + type] += by;
    i64 *used = s->used + server * s->resources;
    for (i64 r = 0; r < s->resources; r++) used[r] += by * s->demand[type * s->resources + r];
    for (i64 j = 0; j < s->types; j++) {
        u64 *word = s->room + j * s->words + (server >> 6), bit = 1ull << (server & 63);
        u64 *summary = s->room_summary + j * s->groups + (server >> 12), of = 1ull << (server >> 6 & 63);
        i64 r = 0;
        while (r < s->resources && used[r] + s->demand[j * s->resources + r] <= s->capacity[r]) r++;
        if (r == s->resources) { *word |= bit; *summary |= of; }
        else if (!(*word &= ~bit)) *summary &= ~of;
    }
}

static void admit(System *s, i64 server, i64 type, i64 number, double departure) {
    i64 free = --s->number[FREE];
    i32 record = s->free_record[free], *list = s->first_job + server * s->types + type;
    s->free_record[free] = -1;
    s->job_number[record] = number;
    s->job_type[record] = type;
    s->job_server[record] = server;
    s->job_arrival[record] = s->clock[0];
    s->job_departure[record] = departure;
    s->job_next[record] = *list;
    s->job_previous[record] = -1;
    if (*list >= 0) s->job_previous[*list] = record;
    *list = record;
    s->tally[type * TALLIES + ADMITTED]++;
    if (departure < INFINITY) push(s, s->number[DEPARTURES]++, departure, record);
    follow(s, server, type, 1);
}

static void depart(System *s, Row *row) {
    i32 record = pop(s), server = s->job_server[record], type = s->job_type[record];
    i32 after = s->job_next[record], before = s->job_previous[record];
    row->job = s->job_number[record];
    row->server = server;
    row->type = type;
    if (before >= 0) s->job_next[before] = after;
    else s->first_job[server * s->types + type] = after;
    if (after >= 0) s->job_previous[after] = before;
    s->tally[type * TALLIES + DEPARTED]++;
    s->job_number[record] = s->job_type[record] = s->job_server[record] = -1;
    s->job_arrival[record] = 0;
    s->job_departure[record] = INFINITY;
    s->job_next[record] = s->job_previous[record] = -1;
    s->free_record[s->number[FREE]++] = record;
    follow(s, server, type, -1);
}

/* Run until the last arrival; rows go round a tape.  The jobs rejected are marked. */
void run_first_fit(System *s, uint8_t *rejected, Row *tape, i64 rows) {
    i64 place = s->number[NEXT_ARRIVAL] - s->first;
    for (i64 event = 0; place < s->jobs; event++) {
        int leaves = s->number[DEPARTURES] && s->heap_time[0] <= s->time[place];
        s->clock[0] = leaves ? s->heap_time[0] : s->time[place];
        Row row = {.time = s->clock[0], .moved = -1, .server = -1, .source = -1, .first_reassigned = -1,
                   .empty_slots = -1, .with_room = -1, .i_star = s->number[I_STAR], .flags = FLAG_DEPARTED,
                   .kind = DEPARTURE};
        if (leaves) depart(s, &row);
        else {
            i64 type = row.type = s->type[place];
            row.kind = ARRIVAL;
            row.job = s->initial + s->number[NEXT_ARRIVAL]++;
            s->tally[type * TALLIES + ARRIVED]++;
            row.server = first_member(s->room + type * s->words, s->room_summary + type * s->groups, s->groups);
            if (row.server >= 0) {
                row.flags = FLAG_ADMITTED;
                admit(s, row.server, type, row.job, s->time[place] + s->service[place]);
            } else {
                rejected[place] = 1;
                row.flags = FLAG_REJECTED;
                row.with_room = 0;
                row.empty_slots = s->slots_in_system[type] - s->jobs_in_system[type];
                s->tally[type * TALLIES + REJECTED]++;
            }
            place++;
        }
        u64 word = mixed(*s->trail, (row.job > 0 ? row.job : 0) * 512 + row.flags);
        word = mixed(word, ((i64)row.server + 1) * 2097152);
        row.trail = *s->trail = mixed(mixed(word, 0), 0);
        row.event = ++s->number[EVENT];
        tape[event % rows] = row;
    }
}
