/* Moldable jobs in C: the kernel's work on the kernel's own arrays, event by event. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* As in the kernel, every function becomes a part of the loop. */
#define INLINE static inline __attribute__((always_inline))

typedef int64_t i64;
typedef int32_t i32;
typedef uint64_t u64;

/* As in model/kinds/moldable. */

enum { EVENT, NEXT_ARRIVAL, JOBS, BUSY };
enum { ARRIVED, ADMITTED, BLOCKED, PARTIAL, SPLIT, DEPARTED };
enum { DISTANCE, SQUARED, BELOW, LEVELS };
enum { FLAG_ARRIVED = 1, FLAG_ADMITTED = 2, FLAG_BLOCKED = 4, FLAG_DEPARTED = 8,
       FLAG_PARTIAL = 16, FLAG_SPLIT = 32, FLAG_FULL = 64, FLAG_FREED = 128, FLAG_BELOW = 256 };
enum { DAY, NEXT };
enum { BINS = 64, DISTANCE_UNIT = 1 << 20, FLAG_BITS = 16, WIDTH_BITS = 12 };
enum { KIND_OF_ARRIVAL = 1, KIND_OF_DEPARTURE = 2 };

/* The members are in the order in which the caller lists them: arrays, then sizes. */

typedef struct {
    i64 *number; double *clock; i64 *tally; double *time_sum; i64 *jobs; double *area, *since;
    i64 *below, *distance; double *level, *level_area, *occupancy, *class_since; i64 *free;
    i32 *server_job, *run_length, *gap_head, *gap_next, *gap_previous, *piece_next;
    i64 *job_number; i32 *job_class, *job_width, *job_request; double *job_arrival,
    *job_departure; u64 *trail; double *memory;
    i64 classes, widths, records;
} State;

typedef struct {
    double *speedup; i64 *target; i32 *pair; double *pair_target, *pair_weight; i32 *least;
    i64 *bin_low, *bin_shift; u64 *key;
} Tables;

typedef struct {
    i32 *width; u64 *last_word; i32 *by_free, *own_pool, *common_pool, *pool_first, *pool_end;
    i64 drawn, has_table, table_width;
} Rules;

typedef struct { i32 *first, *following; double *days; i64 *place; i64 slots; } Calendar;

typedef struct { double *time; i32 *type; double *service; i64 first, count; } Jobs;

typedef struct __attribute__((packed)) {
    i64 event; double time; i64 job; double lasts; u64 trail;
    i32 server, type, request, width, free, running, busy; uint16_t flags; uint8_t kind;
} Row;

typedef struct { State *s; const Tables *t; const Rules *r; Calendar *c; const Jobs *jobs; } Run;

/* Random words and the running hash. */

INLINE u64 scrambled(u64 word) {
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
    word = (word ^ word >> 27) * 0x94D049BB133111EBu;
    return word ^ word >> 31;
}

INLINE u64 random_word(u64 key, i64 number) {
    const u64 step = 0x9E3779B97F4A7C15u;
    return scrambled(scrambled(key ^ (u64)number * step) + step);
}

/* Gaps. */

INLINE i64 smaller(i64 a, i64 b) { return a < b ? a : b; }

INLINE void link_gap(State *s, i64 pool, i64 start, i64 length) {
    i32 *place = s->gap_head + pool * s->widths + smaller(length, s->widths) - 1, head = *place;
    s->gap_next[start] = head;
    s->gap_previous[start] = -1;
    if (head >= 0) s->gap_previous[head] = (i32)start;
    *place = (i32)start;
    s->run_length[start] = s->run_length[start + length - 1] = (i32)length;
}

INLINE i64 unlink_gap(State *s, i64 pool, i64 start) {
    i64 length = s->run_length[start];
    i32 following = s->gap_next[start], previous = s->gap_previous[start];
    if (previous >= 0) s->gap_next[previous] = following;
    else s->gap_head[pool * s->widths + smaller(length, s->widths) - 1] = following;
    if (following >= 0) s->gap_previous[following] = previous;
    return length;
}

INLINE i64 best_gap(const State *s, i64 pool, i64 count) {
    const i32 *head = s->gap_head + pool * s->widths;
    i64 least = smaller(count, s->widths) - 1;
    for (i64 place = least; place < s->widths; place++)
        if (head[place] >= 0) return head[place];
    while (head[--least] < 0);
    return head[least];
}

/* Two at a time, the last one again where there are fewer. */
INLINE void mark(State *s, i64 start, i64 count, i64 record) {
    i64 last = start + count - 1;
    for (i64 server = start; server <= last; server += 2)
        s->server_job[server] = s->server_job[smaller(server + 1, last)] = (i32)record;
}

INLINE i64 take(State *s, i64 pool, i64 count, i64 last) {
    s->free[pool] -= count;
    s->number[BUSY] += count;
    i64 record = last >= 0 ? s->server_job[last] : -1;
    while (count > 0) {
        i64 start = best_gap(s, pool, count), length = unlink_gap(s, pool, start);
        i64 used = smaller(length, count);
        if (length > used) link_gap(s, pool, start + used, length - used);
        if (last >= 0) s->piece_next[last] = (i32)start;
        else record = start;
        mark(s, start, used, record);
        s->run_length[start] = (i32)used;
        s->piece_next[start] = -1;
        last = start;
        count -= used;
    }
    return last;
}

INLINE void give_back(State *s, const Rules *r, i64 pool, i64 start) {
    i64 length = s->run_length[start], end = start + length;
    mark(s, start, length, -1);
    s->free[pool] += length;
    s->number[BUSY] -= length;
    if (start > r->pool_first[pool] && s->server_job[start - 1] < 0) {
        start -= s->run_length[start - 1];
        unlink_gap(s, pool, start);
    }
    if (end < r->pool_end[pool] && s->server_job[end] < 0) end += unlink_gap(s, pool, end);
    link_gap(s, pool, start, end - start);
}

/* The calendar of departures. */

INLINE i64 day_of(const Calendar *c, double time) {
    double day = time * c->days[0];
    return (i64)(day < 0x1p62 ? day : 0x1p62);
}

INLINE int is_before(const State *s, i64 record, i64 other) {
    double mine = s->job_departure[record], theirs = s->job_departure[other];
    if (mine != theirs) return mine < theirs;
    return s->job_number[record] < s->job_number[other];
}

INLINE void insert(const State *s, Calendar *c, i64 record) {
    i64 day = day_of(c, s->job_departure[record]), slot = day & (c->slots - 1);
    c->following[record] = c->first[slot];
    c->first[slot] = (i32)record;
    if (c->place[NEXT] >= 0 && is_before(s, record, c->place[NEXT])) c->place[NEXT] = record;
    c->place[DAY] = smaller(c->place[DAY], day);
}

INLINE i64 best_of(const State *s, const Calendar *c, i64 day) {
    i64 best = -1;
    for (i64 record = c->first[day & (c->slots - 1)]; record >= 0; record = c->following[record])
        if (day_of(c, s->job_departure[record]) == day
            && (best < 0 || is_before(s, record, best)))
            best = record;
    return best;
}

INLINE i64 soonest(const State *s, Calendar *c) {
    if (c->place[NEXT] >= 0 || s->number[JOBS] == 0) return c->place[NEXT];
    i64 day = c->place[DAY], best = -1;
    for (i64 slot = 0; slot < c->slots; slot++, day++)
        if ((best = best_of(s, c, day)) >= 0) {
            c->place[DAY] = day;
            return c->place[NEXT] = best;
        }
    for (i64 record = 0; record < s->records; record++)
        if (s->job_number[record] >= 0 && (best < 0 || is_before(s, record, best))) best = record;
    c->place[DAY] = day_of(c, s->job_departure[best]);
    return c->place[NEXT] = best;
}

INLINE void remove_next(Calendar *c) {
    i32 record = (i32)c->place[NEXT];
    i32 *link = c->first + (c->place[DAY] & (c->slots - 1));
    while (*link != record) link = c->following + *link;
    *link = c->following[record];
    c->place[NEXT] = -1;
}

/* What an event does to the counts and integrals. */

INLINE i64 free_for(const State *s, const Rules *r, i64 j) {
    i64 free = s->free[r->own_pool[j]];
    return r->common_pool[0] >= 0 ? free + s->free[r->common_pool[0]] : free;
}

INLINE i64 request(const Tables *t, const Rules *r, i64 j, i64 number, i64 free) {
    if (r->has_table) return r->by_free[j * r->table_width + free];
    i64 last = r->drawn - 1, place = 0;
    if (last > 0) {
        u64 word = random_word(t->key[0], number);
        while (place < last && word > r->last_word[j * r->drawn + place]) place++;
    }
    return r->width[j * r->drawn + place];
}

INLINE void settle_class(State *s, const Tables *t, i64 j) {
    double elapsed = s->clock[0] - s->class_since[j];
    for (i64 k = 0; k < LEVELS; k++)
        s->level_area[j * LEVELS + k] += s->level[j * LEVELS + k] * elapsed;
    const i64 *jobs = s->jobs + j * s->widths, *low = t->bin_low + 2 * j;
    i64 first = (jobs[t->pair[2 * j]] - low[0]) >> t->bin_shift[j];
    i64 second = (jobs[t->pair[2 * j + 1]] - low[1]) >> t->bin_shift[j];
    if ((u64)first < BINS && (u64)second < BINS)
        s->occupancy[(j * BINS + first) * BINS + second] += elapsed;
    s->class_since[j] = s->clock[0];
}

INLINE void set_levels(State *s, const Tables *t, i64 j) {
    double *level = s->level + j * LEVELS, squared = 0;
    level[DISTANCE] = (double)s->distance[j] / DISTANCE_UNIT;
    level[BELOW] = s->below[j] > 1 ? 1.0 : 0.0;
    for (i64 side = 2 * j; side < 2 * j + 2; side++) {
        double there = (double)s->jobs[j * s->widths + t->pair[side]] - t->pair_target[side];
        squared += t->pair_weight[side] * there * there;
    }
    level[SQUARED] = squared;
}

INLINE void count_job(State *s, const Tables *t, i64 j, i64 width, i64 by) {
    settle_class(s, t, j);
    i64 i = j * s->widths + width, before = s->jobs[i];
    double now = s->clock[0];
    s->area[i] += (double)before * (now - s->since[i]);
    s->since[i] = now;
    s->jobs[i] = before + by;
    s->number[JOBS] += by;
    i64 off = before * DISTANCE_UNIT - t->target[i];
    s->distance[j] += llabs(off + by * DISTANCE_UNIT) - llabs(off);
    if (width < t->least[j]) {
        s->below[j] += by;
        if (s->below[s->classes + j] < s->below[j]) s->below[s->classes + j] = s->below[j];
    }
    set_levels(s, t, j);
}

INLINE i64 admit(State *s, const Tables *t, const Rules *r, i64 j, i64 number, i64 requested,
                 i64 width) {
    i64 own = r->own_pool[j], mine = smaller(width, s->free[own]), last = -1;
    if (mine > 0) last = take(s, own, mine, last);
    if (width > mine) last = take(s, r->common_pool[0], width - mine, last);
    i64 record = s->server_job[last];
    s->job_number[record] = number;
    s->job_class[record] = (i32)j;
    s->job_width[record] = (i32)width;
    s->job_request[record] = (i32)requested;
    s->job_arrival[record] = s->clock[0];
    s->tally[ADMITTED * s->classes + j]++;
    if (width < requested) s->tally[PARTIAL * s->classes + j]++;
    if (last != record) s->tally[SPLIT * s->classes + j]++;
    count_job(s, t, j, width, 1);
    return record;
}

INLINE void depart(State *s, const Tables *t, const Rules *r, i64 record) {
    i64 j = s->job_class[record], own = r->own_pool[j];
    s->tally[DEPARTED * s->classes + j]++;
    s->time_sum[s->classes + j] += s->job_departure[record] - s->job_arrival[record];
    count_job(s, t, j, s->job_width[record], -1);
    for (i64 start = record; start >= 0;) {
        i64 following = s->piece_next[start];
        int inside = r->pool_first[own] <= start && start < r->pool_end[own];
        give_back(s, r, inside ? own : r->common_pool[0], start);
        start = following;
    }
    s->job_number[record] = -1;
    s->job_departure[record] = INFINITY;
}

/* Events. */

INLINE void finish(State *s, i64 j, i64 number, i64 record, i64 width, i64 free, i64 flags,
                   Row *row) {
    s->number[EVENT]++;
    u64 word = scrambled(s->trail[0] ^ (u64)(number << FLAG_BITS | flags));
    s->trail[0] = scrambled(word ^ (u64)((record + 1) << WIDTH_BITS | width));
    row->event = s->number[EVENT];
    row->time = s->clock[0];
    row->job = number;
    row->trail = s->trail[0];
    row->server = (i32)record;
    row->type = (i32)j;
    row->width = (i32)width;
    row->free = (i32)free;
    row->running = (i32)s->jobs[j * s->widths + width];
    row->busy = (i32)s->number[BUSY];
    row->flags = (uint16_t)flags;
}

INLINE void run_departure(const Run *run, i64 record, Row *row) {
    State *s = run->s;
    i64 j = s->job_class[record], free = free_for(s, run->r, j);
    i64 number = s->job_number[record], width = s->job_width[record];
    row->lasts = s->clock[0] - s->job_arrival[record];
    row->request = s->job_request[record];
    row->kind = KIND_OF_DEPARTURE;
    remove_next(run->c);
    depart(s, run->t, run->r, record);
    finish(s, j, number, record, width, free, FLAG_DEPARTED | (free ? 0 : FLAG_FREED), row);
}

INLINE void run_arrival(const Run *run, i64 place, i64 number, Row *row) {
    State *s = run->s;
    i64 j = run->jobs->type[place], flags = FLAG_ARRIVED, record = -1;
    s->number[NEXT_ARRIVAL]++;
    s->tally[ARRIVED * s->classes + j]++;
    i64 free = free_for(s, run->r, j), asked = request(run->t, run->r, j, number, free);
    i64 width = smaller(asked, free);
    row->request = (i32)asked;
    row->kind = KIND_OF_ARRIVAL;
    if (width > 0) {
        i64 below = s->below[j];
        record = admit(s, run->t, run->r, j, number, asked, width);
        double departure = s->clock[0]
                           + run->jobs->service[place] / run->t->speedup[j * s->widths + width];
        s->job_departure[record] = departure;
        s->time_sum[j] += departure - s->job_arrival[record];
        insert(s, run->c, record);
        row->lasts = departure - s->clock[0];
        flags |= FLAG_ADMITTED;
        if (width < asked) flags |= FLAG_PARTIAL;
        if (s->piece_next[record] >= 0) flags |= FLAG_SPLIT;
        if (below <= 1 && s->below[j] > 1) flags |= FLAG_BELOW;
    } else {
        s->tally[BLOCKED * s->classes + j]++;
        row->lasts = -1;
        flags |= FLAG_BLOCKED;
    }
    if (width == free) flags |= FLAG_FULL;
    finish(s, j, number, record, width, free, flags, row);
}

/* Runs so many events on a tape that is written again and again; returns how many it did.  The
   structures are copied, so that their members are known not to change. */
i64 run(const State *state, const Tables *tables, const Rules *rules, const Calendar *calendar,
        const Jobs *block, i64 events, Row *tape, i64 rows) {
    State s = *state;
    const Tables t = *tables;
    const Rules r = *rules;
    Calendar c = *calendar;
    const Jobs jobs = *block;
    const Run run = {&s, &t, &r, &c, &jobs};
    i64 place_on_tape = 0;
    for (i64 event = 0; event < events; event++) {
        i64 record = soonest(&s, &c), place = s.number[NEXT_ARRIVAL] - jobs.first;
        double comes = place < jobs.count ? jobs.time[place] : INFINITY;
        double departs = record >= 0 ? s.job_departure[record] : INFINITY;
        if (comes == INFINITY && departs == INFINITY) return event;
        s.clock[0] = comes < departs ? comes : departs;
        Row *row = tape + place_on_tape;
        if (++place_on_tape == rows) place_on_tape = 0;
        if (departs <= comes) run_departure(&run, record, row);
        else run_arrival(&run, place, place + jobs.first, row);
    }
    return events;
}
