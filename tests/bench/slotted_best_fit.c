/* BF-J/S in C, twice: the kernel's work on the kernel's own arrays, and the bare algorithm. */

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef int64_t i64;
typedef int32_t i32;
typedef uint64_t u64;

/* As in model/kinds/queue.  D: the number of resources, of which the first one counts for policies of one, as here;
   unless it is given the compiler does not know it, as with the kernel. */

#ifndef D
#define D (s->resources)
#endif

enum { EVENT, NEXT_ARRIVAL, FREE, DEPARTURES, WAITING, IN_SERVICE, STALLED_SERVERS, UNSETTLED,
       IDLE };
enum { ARRIVED, PLACED, DEPARTED };
enum { FLAG_ARRIVED = 1, FLAG_PLACED = 2, FLAG_DEPARTED = 4, FLAG_WAITS = 32, FLAG_EMPTY = 64,
       SLOT = 4 };

typedef struct {
    i64 *number; double *clock; i64 *tally; double *waiting_area, *used_area; i64 *used_total,
    *used; i32 *jobs_on, *first_job, *last_job, *active; uint8_t *stalled; i64 *last_departure,
    *queue_length; i32 *first_waiting, *last_waiting; i64 *job_number, *job_size, *job_room;
    i32 *job_queue; double *job_arrival, *job_service; i32 *job_server; double *job_departure;
    i32 *job_next, *job_previous, *free_record; double *heap_time; i32 *heap_record; u64 *trail;
    double *memory; i64 resources;
} State;

typedef struct { i64 *upper, shift, top; i32 *cell, (*ends)[2], (*node)[2]; u64 *words, *summary;
                 i64 *earliest, *foreseen, buckets, cells; } Waiting;

enum { FIRST, LAST };
enum { BEFORE, AFTER };
enum { LONG_QUEUE = 8192, ENDS_AHEAD = 3, JOB_AHEAD = 1 };

typedef struct { i64 *free, *most; u64 *left, *left_summary; i64 servers, blocks; } Rooms;

typedef struct { double *time; i64 *size; double *service; i64 first, count; } Jobs;

typedef struct __attribute__((packed)) {
    i64 event; double time; i64 job, kept, kept_size, best_residual, waiting; u64 trail;
    i32 arrived, departed, placed, renewed, stalled, server, serving;
    int16_t kept_queue; uint16_t flags; uint8_t kind;
} Row;

typedef struct { i64 flags, arrived, departed, placed, before_waiting, came, left, left_server,
                 placed_job, placed_server; } Outcome;

static void insert_bit(u64 *words, u64 *summary, i64 member) {
    words[member >> 6] |= 1ull << (member & 63);
    summary[member >> 12] |= 1ull << (member >> 6 & 63);
}

static void discard_bit(u64 *words, u64 *summary, i64 member) {
    if (!(words[member >> 6] &= ~(1ull << (member & 63))))
        summary[member >> 12] &= ~(1ull << (member >> 6 & 63));
}

static i64 next_member(const u64 *words, i64 count, const u64 *summary, i64 start) {
    i64 word = start >> 6, groups = (count + 63) >> 6;
    if (word >= count) return -1;
    u64 rest = words[word] & ~0ull << (start & 63);
    if (rest) return (word << 6) + __builtin_ctzll(rest);
    word++;
    i64 group = word >> 6;
    if (group >= groups) return -1;
    u64 found = summary[group] & ~0ull << (word & 63);
    while (!found) {
        if (++group >= groups) return -1;
        found = summary[group];
    }
    word = (group << 6) + __builtin_ctzll(found);
    return (word << 6) + __builtin_ctzll(words[word]);
}

#define SYSTEM State
#include "kernel_parts.h"

/* What is free on servers. */

static void set_free(Rooms *r, i64 server, i64 free) {
    i64 block = server >> 6, before = r->free[server];
    r->free[server] = free;
    if (free >= r->most[block]) r->most[block] = free;
    else if (before == r->most[block]) {
        i64 start = block << 6, stop = start + 64 < r->servers ? start + 64 : r->servers, most = -1;
        for (i64 other = start; other < stop; other++)
            most = r->free[other] > most ? r->free[other] : most;
        r->most[block] = most;
    }
}

static i64 tightest(const Rooms *r, i64 room) {
    u64 best = 1ull << 62;
    i64 found = -1;
    for (i64 block = 0; block < r->blocks; block++) {
        if (r->most[block] < room) continue;
        i64 start = block << 6, stop = start + 64 < r->servers ? start + 64 : r->servers;
        u64 least = 1ull << 62;
        for (i64 server = start; server < stop; server++) {
            u64 beyond = (u64)(r->free[server] - room);
            least = beyond < least ? beyond : least;
        }
        if (least < best) { best = least; found = start; }
    }
    if (found < 0) return -1;
    while ((u64)(r->free[found] - room) != best) found++;
    return found;
}

/* Waiting jobs by size. */

static i64 bucket_of(const Waiting *w, i64 size) {
    if (w->top >= 0) {
        i64 bucket = w->top - ((size - 1) >> w->shift);
        if (bucket > w->buckets - 1) bucket = w->buckets - 1;
        return bucket > 0 ? bucket : 0;
    }
    i64 cell = size >> w->shift;
    if (cell > w->cells - 2) cell = w->cells - 2;
    i64 low = w->cell[cell + 1], high = w->cell[cell] + 1;
    while (high - low > 1) {
        i64 middle = (low + high) >> 1;
        if (w->upper[middle] >= size) low = middle; else high = middle;
    }
    return low;
}

static void add(Waiting *w, const State *s, i32 record, i64 bucket) {
    i64 size = s->job_room[record * D];
    i32 before = w->ends[bucket][LAST], after = -1;
    while (before >= 0 && s->job_room[before * D] < size) {
        after = before;
        before = w->node[before][BEFORE];
    }
    w->node[record][BEFORE] = before;
    w->node[record][AFTER] = after;
    if (before >= 0) w->node[before][AFTER] = record; else w->ends[bucket][FIRST] = record;
    if (after >= 0) w->node[after][BEFORE] = record; else w->ends[bucket][LAST] = record;
    insert_bit(w->words, w->summary, bucket);
}

static void take_out(Waiting *w, const State *s, i32 record) {
    i64 bucket = bucket_of(w, s->job_room[record * D]);
    i32 before = w->node[record][BEFORE], after = w->node[record][AFTER];
    if (before >= 0) w->node[before][AFTER] = after;
    else {
        w->ends[bucket][FIRST] = after;
        if (after < 0) discard_bit(w->words, w->summary, bucket);
    }
    if (after >= 0) w->node[after][BEFORE] = before; else w->ends[bucket][LAST] = before;
}

static i64 next_bucket(const Waiting *w, i64 start) {
    return next_member(w->words, (w->buckets + 63) >> 6, w->summary, start);
}

static i32 largest_up_to(const Waiting *w, const State *s, i64 limit) {
    if (limit <= 0) return -1;
    i64 bucket = next_bucket(w, bucket_of(w, limit));
    while (bucket >= 0) {
        i32 record = w->ends[bucket][FIRST];
        if (s->job_room[record * D] <= limit) return record;
        if (s->job_room[w->ends[bucket][LAST] * D] <= limit) {
            while (s->job_room[record * D] > limit) record = w->node[record][AFTER];
            return record;
        }
        bucket = next_bucket(w, bucket + 1);
    }
    return -1;
}

/* Memory asked for before it is needed. */

#define touch(place) __builtin_prefetch(&(place))

static void expect(const State *s, i32 record) {
    touch(s->job_number[record]); touch(s->job_room[record * D]); touch(s->job_size[record * D]);
    touch(s->job_queue[record]); touch(s->job_arrival[record]); touch(s->job_service[record]);
    touch(s->job_server[record]); touch(s->job_departure[record]);
    touch(s->job_next[record]); touch(s->job_previous[record]);
}

static void expect_neighbours(const State *s, const Waiting *w, i32 record) {
    i32 after = s->job_next[record], before = s->job_previous[record];
    if (after >= 0) touch(s->job_previous[after]);
    if (before >= 0) touch(s->job_next[before]);
    if ((after = w->node[record][AFTER]) >= 0) touch(w->node[after]);
}

static void foresee(const State *s, const Waiting *w, const Rooms *r, const Jobs *jobs) {
    if (s->number[WAITING] < LONG_QUEUE) return;
    i64 place = s->number[NEXT_ARRIVAL] - jobs->first;
    if (place + ENDS_AHEAD < jobs->count) {
        touch(w->ends[bucket_of(w, jobs->size[(place + ENDS_AHEAD) * D])]);
        i32 last = w->ends[bucket_of(w, jobs->size[(place + JOB_AHEAD) * D])][LAST];
        if (last >= 0) { touch(s->job_room[last * D]); touch(w->node[last]); }
    }
    if (s->number[DEPARTURES] == 0) return;
    i32 served = s->heap_record[0];
    i64 limit = r->free[s->job_server[served]] + s->job_room[served * D];
    i64 bucket = next_bucket(w, bucket_of(w, limit));
    if (bucket < 0) return;
    i32 record = w->ends[bucket][FIRST];
    if (record == w->foreseen[0]) expect_neighbours(s, w, record);
    else {
        expect(s, record);
        touch(w->node[record]);
        w->foreseen[0] = record;
    }
}

/* What happens in a slot. */

static void begin(State *s, double slot) {
    double slots = slot - s->clock[0];
    s->waiting_area[0] += s->number[WAITING] * slots;
    for (i64 d = 0; d < D; d++) s->used_area[d] += s->used_total[d] * slots;
    s->clock[0] = slot;
}

static void unlink_job(State *s, i32 record, i32 *first, i32 *last) {
    i32 after = s->job_next[record], before = s->job_previous[record];
    if (before >= 0) s->job_next[before] = after; else *first = after;
    if (after >= 0) s->job_previous[after] = before; else *last = before;
}

static void link_last(State *s, i32 record, i32 *first, i32 *last) {
    s->job_previous[record] = *last;
    s->job_next[record] = -1;
    if (*last >= 0) s->job_next[*last] = record; else *first = record;
    *last = record;
}

static void release(State *s, i32 record) {
    s->job_number[record] = -1;
    for (i64 d = 0; d < D; d++) s->job_size[record * D + d] = s->job_room[record * D + d] = 0;
    s->job_queue[record] = -1;
    s->job_arrival[record] = s->job_service[record] = 0;
    s->job_server[record] = -1;
    s->job_departure[record] = INFINITY;
    s->job_next[record] = s->job_previous[record] = -1;
    s->free_record[s->number[FREE]++] = record;
}

static void depart(State *s, Rooms *r, const i64 *capacity, Outcome *o) {
    i32 record = pop(s), server = s->job_server[record];
    if (o->departed++ == 0) { o->left = s->job_number[record]; o->left_server = server; }
    o->flags |= FLAG_DEPARTED;
    unlink_job(s, record, &s->first_job[server], &s->last_job[server]);
    for (i64 d = 0; d < D; d++) {
        s->used[server * D + d] -= s->job_room[record * D + d];
        s->used_total[d] -= s->job_room[record * D + d];
    }
    s->number[IN_SERVICE]--;
    if (--s->jobs_on[server] == 0) s->number[IDLE]++;
    s->last_departure[server] = (i64)s->clock[0];
    s->tally[DEPARTED]++;
    release(s, record);
    set_free(r, server, capacity[server * D] - s->used[server * D]);
    insert_bit(r->left, r->left_summary, server);
}

static i32 arrive(State *s, const Jobs *jobs, Outcome *o) {
    i64 number = s->number[NEXT_ARRIVAL]++, place = number - jobs->first;
    i64 free = --s->number[FREE];
    i32 record = s->free_record[free];
    s->free_record[free] = -1;
    s->job_number[record] = number;
    s->job_arrival[record] = s->clock[0];
    s->tally[ARRIVED]++;
    for (i64 d = 0; d < D; d++)
        s->job_size[record * D + d] = s->job_room[record * D + d] = jobs->size[place * D + d];
    s->job_service[record] = jobs->service[place];
    s->job_queue[record] = 0;
    link_last(s, record, s->first_waiting, s->last_waiting);
    s->queue_length[0]++;
    s->number[WAITING]++;
    if (o->came < 0) o->came = number;
    o->flags |= FLAG_ARRIVED;
    return record;
}

static void place(State *s, Waiting *w, Rooms *r, const i64 *capacity, i32 record, i64 server,
                  Outcome *o) {
    take_out(w, s, record);
    unlink_job(s, record, s->first_waiting, s->last_waiting);
    s->queue_length[0]--;
    s->number[WAITING]--;
    s->job_server[record] = server;
    link_last(s, record, &s->first_job[server], &s->last_job[server]);
    if (s->jobs_on[server]++ == 0) s->number[IDLE]--;
    s->number[IN_SERVICE]++;
    for (i64 d = 0; d < D; d++) {
        s->used[server * D + d] += s->job_room[record * D + d];
        s->used_total[d] += s->job_room[record * D + d];
    }
    s->tally[PLACED]++;
    double departure = s->job_departure[record] = s->clock[0] + s->job_service[record];
    if (departure < INFINITY) push(s, s->number[DEPARTURES]++, departure, record);
    if (o->placed++ == 0) { o->placed_job = s->job_number[record]; o->placed_server = server; }
    o->flags |= FLAG_PLACED;
    set_free(r, server, capacity[server * D] - s->used[server * D]);
}

static void finish(State *s, const i32 *fresh, Outcome *o, Row *row) {
    i32 kept = -1;
    for (i64 one = 0; one < o->arrived && kept < 0; one++)
        if (s->job_server[fresh[one]] < 0) kept = fresh[one];
    if (kept >= 0) o->flags |= FLAG_WAITS;
    if (o->before_waiting > 0 && s->number[WAITING] == 0) o->flags |= FLAG_EMPTY;
    i64 job = o->placed_job, server = o->placed_server;
    if (job < 0) { job = o->came; server = -1; }
    if (job < 0) { job = o->left; server = o->left_server; }
    s->number[UNSETTLED] = 0;
    u64 word = mixed(s->trail[0], (job > 0 ? job : 0) * 512 + o->flags);
    word = mixed(word, (server + 1) * 2097152 + o->placed);
    s->trail[0] = mixed(word, o->departed * 2097152 * 1024);
    *row = (Row){++s->number[EVENT], s->clock[0], job, kept < 0 ? -1 : s->job_number[kept],
                 kept < 0 ? -1 : s->job_room[kept * D], -1, s->number[WAITING], s->trail[0],
                 o->arrived, o->departed, o->placed, 0, 0, server, -1,
                 kept < 0 ? -1 : s->job_queue[kept], o->flags, SLOT};
}

/* Run slots up to `until`; rows go round a tape. */
void run_same(State *s, Waiting *w, Rooms *r, Jobs *jobs, const i64 *capacity, double until,
             i32 *fresh, Row *tape, i64 rows) {
    i64 slots = 0, words = r->blocks;
    for (;; slots++) {
        i64 next = s->number[NEXT_ARRIVAL] - jobs->first;
        double slot = next < jobs->count ? jobs->time[next] : INFINITY;
        if (s->number[DEPARTURES] && s->heap_time[0] < slot) slot = s->heap_time[0];
        if (s->number[UNSETTLED] && s->clock[0] + 1 < slot) slot = s->clock[0] + 1;
        if (slot > until) break;
        Outcome o = {.before_waiting = s->number[WAITING], .came = -1, .left = -1,
                     .left_server = -1, .placed_job = -1, .placed_server = -1};
        while (next + o.arrived < jobs->count && jobs->time[next + o.arrived] <= slot) o.arrived++;
        begin(s, slot);
        while (s->number[DEPARTURES] && s->heap_time[0] <= slot) depart(s, r, capacity, &o);
        for (i64 one = 0; one < o.arrived; one++) {
            fresh[one] = arrive(s, jobs, &o);
            add(w, s, fresh[one], bucket_of(w, jobs->size[(next + one) * D]));
        }
        foresee(s, w, r, jobs);
        i64 server = next_member(r->left, words, r->left_summary, 0);
        for (; server >= 0; server = next_member(r->left, words, r->left_summary, server + 1)) {
            discard_bit(r->left, r->left_summary, server);
            i32 record;
            while ((record = largest_up_to(w, s, r->free[server])) >= 0)
                place(s, w, r, capacity, record, server, &o);
        }
        for (i64 one = 0; one < o.arrived; one++) {
            if (s->job_server[fresh[one]] >= 0) continue;
            server = tightest(r, s->job_room[fresh[one] * D]);
            if (server >= 0) place(s, w, r, capacity, fresh[one], server, &o);
        }
        finish(s, fresh, &o, &tape[slots % rows]);
    }
}
