/* BF-J/S in C with arrays only: no records, no lists of servers, no rows, no hash. */

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef int64_t i64;
typedef int32_t i32;

typedef struct {
    i64 servers, waiting, in_service, next, jobs;
    i64 *free;        /* [servers] */
    i64 *size;        /* [jobs] */
    double *time, *service;
    i32 *queue;       /* jobs that wait, the largest first, earlier before later ones */
    i32 *server;      /* [jobs] -1: not in service */
    double *heap_time;
    i32 *heap_job;
    uint8_t *left;    /* [servers] whether a job has left in this slot */
    i32 *left_list;
} Lean;

static void push(Lean *l, double time, i32 job) {
    i64 hole = l->in_service++;
    while (hole > 0) {
        i64 parent = (hole - 1) >> 2;
        if (l->heap_time[parent] <= time) break;
        l->heap_time[hole] = l->heap_time[parent];
        l->heap_job[hole] = l->heap_job[parent];
        hole = parent;
    }
    l->heap_time[hole] = time;
    l->heap_job[hole] = job;
}

static i32 pop(Lean *l) {
    i32 first = l->heap_job[0], job = l->heap_job[--l->in_service];
    double time = l->heap_time[l->in_service];
    i64 last = l->in_service, hole = 0;
    for (i64 child = 1; child < last; child = 4 * hole + 1) {
        i64 best = child, end = child + 4 < last ? child + 4 : last;
        for (i64 other = child + 1; other < end; other++)
            if (l->heap_time[other] < l->heap_time[best]) best = other;
        if (time <= l->heap_time[best]) break;
        l->heap_time[hole] = l->heap_time[best];
        l->heap_job[hole] = l->heap_job[best];
        hole = best;
    }
    l->heap_time[hole] = time;
    l->heap_job[hole] = job;
    return first;
}

/* The first place in the queue of a size of at most `limit`; from `job` on among equals. */
static i64 position(const Lean *l, i64 limit, i32 job) {
    i64 low = 0, high = l->waiting;
    while (low < high) {
        i64 middle = (low + high) >> 1, size = l->size[l->queue[middle]];
        if (size > limit || (size == limit && l->queue[middle] < job)) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void place(Lean *l, i64 at, i64 server, double slot) {
    i32 job = l->queue[at];
    l->waiting--;
    memmove(l->queue + at, l->queue + at + 1, (l->waiting - at) * sizeof(i32));
    l->free[server] -= l->size[job];
    l->server[job] = server;
    push(l, slot + l->service[job], job);
}

static i64 tightest(const Lean *l, i64 room) {
    uint64_t best = 1ull << 62;
    i64 server = 0;
    for (i64 one = 0; one < l->servers; one++) {
        uint64_t beyond = (uint64_t)(l->free[one] - room);
        best = beyond < best ? beyond : best;
    }
    if (best == 1ull << 62) return -1;
    while ((uint64_t)(l->free[server] - room) != best) server++;
    return server;
}

/* Run slots after `now` up to `until`; sums: busy slots, jobs placed, jobs waiting times slots. */
void run_lean(Lean *l, double now, double until, double *sums) {
    for (;; sums[0]++) {
        double slot = l->next < l->jobs ? l->time[l->next] : INFINITY;
        if (l->in_service && l->heap_time[0] < slot) slot = l->heap_time[0];
        if (slot > until) return;
        sums[2] += l->waiting * (slot - now);
        now = slot;
        i64 left = 0, before = l->in_service, departed = 0;
        for (; l->in_service && l->heap_time[0] <= slot; departed++) {
            i32 job = pop(l), server = l->server[job], at = left;
            l->free[server] += l->size[job];
            if (l->left[server]) continue;
            l->left[server] = 1;
            for (left++; at > 0 && l->left_list[at - 1] > server; at--)
                l->left_list[at] = l->left_list[at - 1];
            l->left_list[at] = server;
        }
        i64 fresh = l->next;
        for (; l->next < l->jobs && l->time[l->next] <= slot; l->next++) {
            i64 at = position(l, l->size[l->next], l->next);
            memmove(l->queue + at + 1, l->queue + at, (l->waiting - at) * sizeof(i32));
            l->queue[at] = l->next;
            l->waiting++;
        }
        for (i64 one = 0; one < left; one++) {
            i64 server = l->left_list[one], at;
            l->left[server] = 0;
            while ((at = position(l, l->free[server], -1)) < l->waiting)
                place(l, at, server, slot);
        }
        for (; fresh < l->next; fresh++) {
            if (l->server[fresh] >= 0) continue;
            i64 server = tightest(l, l->size[fresh]);
            if (server >= 0) place(l, position(l, l->size[fresh], fresh), server, slot);
        }
        sums[1] += l->in_service - before + departed;
    }
}
