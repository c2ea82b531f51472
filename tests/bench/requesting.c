/* JRS in C: the kernel's decisions, random words, rows and trail, on arrays. */

#include <math.h>
#include <stdint.h>

typedef int64_t i64;
typedef int32_t i32;
typedef uint64_t u64;

enum { REAL_KEY, VIRTUAL_KEY, TIMER_KEY, REQUEST_KEY, TOKEN_KEY, VIRTUAL_TOKEN_KEY, ROUTE_KEY };
enum { TIMERS = 1, AT_ONCE = 2 };
enum { ACTIVE, COST, TOKENS, VIRTUAL, BACKUP, REAL, LEVELS };

/* As in model/kinds/phases/rows.py. */

enum { ARRIVED = 1, MATCHED = 2, OVERFLOWED = 4, MOVED = 16, DEPARTED = 32, TICKED = 64, REQUESTED = 128, CAME = 256,
       OF_VIRTUAL = 512, MISSED = 1024, RESUMED = 2048, OVERRUN = 4096, IDLE = 8192 };
enum { FIRST_BACKUP = -2 };
enum { ARRIVAL = 1, DEPARTURE = 2, MOVE = 5, TICK = 6 };

typedef struct __attribute__((packed)) {
    i64 event; double time; i64 job, token; double token_age; i64 first_token, first_virtual, cost; u64 trail;
    i32 server, pool, type, phase, made, virtual, tokens, active, fitting; uint32_t flags; uint8_t kind;
} Row;

typedef struct { i32 type, phase, pool, server, virtual, next; i64 number, moves; } Job;

/* The members are in the order in which the caller lists them. */
typedef struct {
    /* The model: demand [I, D], up and down [C, I], next_phase [I, I]. */
    i64 types, resources, pools, servers, configurations;
    i64 *demand, *capacity, *weight, *power; i32 *up, *down; double *out_rate, *next_phase; u64 *key;
    /* The rules. */
    int8_t *cases; double *rate, *timer, *choice; i32 *asks; i64 *limit; i32 *pool_of; double *route;
    /* The jobs that arrive. */
    double *time; i32 *type; i64 arrivals;
    /* What changes: [servers], and [pools, types] with room for tokens and backup servers. */
    i32 *observed, *held, *jobs_on; i64 *use, *cost; double *due; i64 *running; i32 *tree; i64 width;
    i32 *count, *token; i64 *token_number; double *token_time; i64 most_tokens; i32 *backup; i64 most_backups; i32 *idle;
    Job *job; i32 *free; i64 frees; double *heap_time; i32 *heap_job; i64 moves;
    i64 *level; double *area, *now; i64 *asked; u64 *trail; Row *tape, *row; i64 rows, had_jobs, events;
    i64 arrived, timers, requests, virtuals, matched, overflowed, made;
} Jrs;

/* Random words, as in model/systems/random_words.py. */

static u64 scrambled(u64 word) {
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
    word = (word ^ word >> 27) * 0x94D049BB133111EBu;
    return word ^ word >> 31;
}

static u64 word_of(const Jrs *s, int key, i64 number, i64 draw) {
    const u64 step = 0x9E3779B97F4A7C15u;
    return scrambled(scrambled(s->key[key] ^ (u64)number * step) + (u64)(draw + 1) * step);
}

static i64 below(u64 word, i64 bound) { return (i64)((unsigned __int128)word * (u64)bound >> 64); }

static double uniform(u64 word) { return (double)((word >> 11) + 1) * 0x1p-53; }

#ifdef SAME_LOGARITHM /* to the bit, by the program's series, on every machine */

static double exponential(u64 word) {
    int exponent;
    double mantissa = frexp(uniform(word), &exponent);
    if (mantissa < 0.7071067811865476) { mantissa *= 2; exponent--; }
    double ratio = (mantissa - 1) / (mantissa + 1), square = ratio * ratio, fourth = square * square;
    double series = ((((1.0 / 21 * fourth + 1.0 / 17) * fourth + 1.0 / 13) * fourth + 1.0 / 9) * fourth + 1.0 / 5)
                    * fourth + 1;
    double other = ((((1.0 / 23 * fourth + 1.0 / 19) * fourth + 1.0 / 15) * fourth + 1.0 / 11) * fourth + 1.0 / 7)
                   * fourth + 1.0 / 3;
    return -(2 * ratio * (series + square * other) + exponent * 0.6931471805599453);
}

#else

static double exponential(u64 word) { return -log(uniform(word)); }

#endif

static i64 first_at_least(const double *shares, i64 count, double share) {
    i64 place = 0;
    while (place < count - 1 && shares[place] < share) place++;
    return place;
}

/* The heap of moves: four-ary, by time. */

static void push(Jrs *s, double time, i32 job) {
    i64 hole = s->moves++;
    while (hole > 0 && time < s->heap_time[(hole - 1) >> 2]) {
        s->heap_time[hole] = s->heap_time[(hole - 1) >> 2];
        s->heap_job[hole] = s->heap_job[(hole - 1) >> 2];
        hole = (hole - 1) >> 2;
    }
    s->heap_time[hole] = time;
    s->heap_job[hole] = job;
}

static i32 pop(Jrs *s) {
    i32 first = s->heap_job[0];
    i64 last = --s->moves, hole = 0;
    double time = s->heap_time[last];
    i32 job = s->heap_job[last];
    s->heap_time[last] = INFINITY;
    for (i64 child = 1; child < last; child = 4 * hole + 1) {
        i64 best = child, end = child + 4 < last ? child + 4 : last;
        for (i64 other = child + 1; other < end; other++)
            if (s->heap_time[other] < s->heap_time[best]) best = other;
        if (time <= s->heap_time[best]) break;
        s->heap_time[hole] = s->heap_time[best];
        s->heap_job[hole] = s->heap_job[best];
        hole = best;
    }
    if (last) {
        s->heap_time[hole] = time;
        s->heap_job[hole] = job;
    }
    return first;
}

/* The tournament of timers. */

static void set_timer(Jrs *s, i64 server, double time) {
    s->due[server] = time;
    for (i64 node = (s->width + server) / 2; node >= 1; node /= 2) {
        i32 left = s->tree[2 * node], right = s->tree[2 * node + 1];
        if (right >= 0 && s->due[right] < s->due[left]) left = right;
        if (s->tree[node] == left && left != server) return;
        s->tree[node] = left;
    }
}

static void stop_timer(Jrs *s, i64 server) {
    if (s->running[server] < 0) return;
    s->running[server] = -1;
    set_timer(s, server, INFINITY);
}

static void new_timer(Jrs *s, i64 server) {
    double rate = s->rate[s->pool_of[server] * s->configurations + s->observed[server]];
    if (rate <= 0) {
        stop_timer(s, server);
        return;
    }
    i64 number = s->running[server] = s->timers++;
    double time = exponential(word_of(s, TIMER_KEY, number, 0)) / rate;
    set_timer(s, server, *s->now + time);
}

/* Jobs. */

static i64 cost_of(const Jrs *s, const i64 *use) {
    i64 total = 0;
    for (i64 d = 0; d < s->resources; d++) {
        i64 excess = use[d] - s->capacity[d];
        if (excess > 0) total += (*s->power == 2 ? excess * excess : excess) * s->weight[d];
    }
    return total;
}

static void change_use(Jrs *s, i64 server, i64 phase, i64 jobs) {
    i64 *use = s->use + server * s->resources;
    for (i64 d = 0; d < s->resources; d++) use[d] += jobs * s->demand[phase * s->resources + d];
}

static void settle_cost(Jrs *s, i64 server) {
    i64 cost = cost_of(s, s->use + server * s->resources);
    s->level[COST] += cost - s->cost[server];
    s->cost[server] = cost;
}

static i32 new_job(Jrs *s, i64 number, i32 type, int virtual) {
    i32 at = s->free[--s->frees];
    s->job[at] = (Job){.type = type, .phase = type, .number = number, .virtual = virtual};
    return at;
}

static void draw(Jrs *s, i32 at) {
    Job *job = s->job + at;
    int key = job->virtual ? VIRTUAL_KEY : REAL_KEY;
    double time = exponential(word_of(s, key, job->number, 2 * job->moves))
                  / s->out_rate[job->phase];
    double where = uniform(word_of(s, key, job->number, 2 * job->moves + 1));
    const double *row = s->next_phase + job->phase * s->types;
    job->next = 0;
    while (job->next < s->types && where > row[job->next]) job->next++;
    push(s, *s->now + time, at);
}

static void overflow(Jrs *s, i32 at) {
    Job *job = s->job + at;
    i32 *backup = s->backup + job->pool * s->most_backups, *idle = s->idle + job->pool;
    job->server = -1 - *idle;
    backup[*idle] = 1;
    while (backup[*idle]) ++*idle;
    s->row->server = FIRST_BACKUP + 1 + job->server;
    s->row->flags |= OVERFLOWED;
    s->overflowed++;
    s->level[BACKUP]++;
    s->level[ACTIVE]++;
    s->level[COST] += cost_of(s, s->demand + job->phase * s->resources);
    draw(s, at);
}

static i64 take(Jrs *s, i32 at, i64 position) {
    Job *job = s->job + at;
    i64 list = job->pool * s->types + job->type;
    i32 *token = s->token + list * s->most_tokens, server = token[position];
    i64 *number = s->token_number + list * s->most_tokens;
    double *time = s->token_time + list * s->most_tokens;
    if (!job->virtual) {
        s->row->server = server;
        s->row->token = number[position];
        s->row->token_age = *s->now - time[position];
        s->row->flags |= MATCHED;
    }
    i64 last = --s->count[list];
    for (i64 place = position; place < last; place++) {
        token[place] = token[place + 1];
        number[place] = number[place + 1];
        time[place] = time[place + 1];
    }
    job->server = server;
    s->level[TOKENS]--;
    s->held[server]--;
    if (!job->virtual) {
        s->level[ACTIVE] += s->jobs_on[server]++ == 0;
        change_use(s, server, job->phase, 1);
        settle_cost(s, server);
    }
    s->observed[server] = s->up[s->observed[server] * s->types + job->phase];
    draw(s, at);
    if (!s->held[server]) {
        s->row->flags |= RESUMED;
        new_timer(s, server);
    }
    return server;
}

/* Requests. */

static void request(Jrs *s, i64 server) {
    i64 pool = s->pool_of[server];
    s->requests++;
    if (s->row->first_token < 0) s->row->first_token = s->made;
    s->row->flags |= REQUESTED;
    for (i64 i = 0; i < s->types; i++) {
        i64 list = pool * s->types + i;
        for (; s->asked[i]; s->asked[i]--) {
            i64 place = list * s->most_tokens + s->count[list]++;
            s->token[place] = (i32)server;
            s->token_number[place] = s->made++;
            s->token_time[place] = *s->now;
            s->held[server]++;
            s->level[TOKENS]++;
            s->row->made++;
        }
    }
    stop_timer(s, server);
    for (i64 i = 0; i < s->types; i++)
        while (s->count[pool * s->types + i] > s->limit[pool]) {
            i64 number = s->virtuals++;
            i32 at = new_job(s, number, (i32)i, 1);
            s->job[at].pool = (i32)pool;
            s->level[VIRTUAL]++;
            if (s->row->first_virtual < 0) s->row->first_virtual = number;
            s->row->virtual++;
            s->row->flags |= CAME;
            take(s, at, below(word_of(s, VIRTUAL_TOKEN_KEY, number, 0),
                              s->count[pool * s->types + i]));
        }
}

static void look(Jrs *s, i64 server, i64 place, i64 count) {
    i64 pool = s->pool_of[server];
    while (s->cases[pool * s->configurations + place] == AT_ONCE) {
        const double *row = s->choice + (pool * s->configurations + place) * s->types;
        i64 i = first_at_least(row, s->types, uniform(word_of(s, REQUEST_KEY, s->requests, count)));
        s->asked[i]++;
        count++;
        place = s->up[place * s->types + i];
    }
    if (count) request(s, server);
    else new_timer(s, server);
}

static void ring(Jrs *s, i64 server) {
    i64 pool = s->pool_of[server], place = s->observed[server], number = s->running[server];
    i64 row = (pool * s->configurations + place) * s->types;
    s->row->kind = TICK;
    s->row->server = (i32)server;
    s->row->pool = (i32)pool;
    s->row->flags = TICKED;
    s->had_jobs = s->jobs_on[server];
    stop_timer(s, server);
    if (s->cases[pool * s->configurations + place] != TIMERS) {
        for (i64 i = 0; i < s->types; i++) s->asked[i] = s->asks[row + i];
        request(s, server);
        return;
    }
    i64 i = first_at_least(s->timer + row, s->types, uniform(word_of(s, TIMER_KEY, number, 1)));
    s->asked[i] = 1;
    look(s, server, s->up[place * s->types + i], 1);
}

/* Events. */

static void arrive(Jrs *s) {
    i64 number = s->arrived++;
    i32 at = new_job(s, number, s->type[number], 0);
    Job *job = s->job + at;
    if (s->pools > 1)
        job->pool = (i32)first_at_least(s->route + job->type * s->pools, s->pools,
                                        uniform(word_of(s, ROUTE_KEY, number, 0)));
    i64 count = s->count[job->pool * s->types + job->type];
    s->row->kind = ARRIVAL;
    s->row->job = number;
    s->row->pool = job->pool;
    s->row->type = s->row->phase = job->type;
    s->row->tokens = (i32)count;
    s->row->flags = ARRIVED;
    s->level[REAL]++;
    if (!count) {
        overflow(s, at);
        return;
    }
    s->matched++;
    take(s, at, below(word_of(s, TOKEN_KEY, number, 0), count));
}

static void leave(Jrs *s, i32 at) {
    Job *job = s->job + at;
    s->level[job->virtual ? VIRTUAL : REAL]--;
    s->free[s->frees++] = at;
    if (job->server < 0) {
        i32 backup = -1 - job->server, *idle = s->idle + job->pool;
        s->backup[job->pool * s->most_backups + backup] = 0;
        if (backup < *idle) *idle = backup;
        s->level[BACKUP]--;
        s->level[ACTIVE]--;
        s->level[COST] -= cost_of(s, s->demand + job->phase * s->resources);
        return;
    }
    if (!job->virtual) {
        s->level[ACTIVE] -= --s->jobs_on[job->server] == 0;
        change_use(s, job->server, job->phase, -1);
        settle_cost(s, job->server);
    }
    s->observed[job->server] = s->down[s->observed[job->server] * s->types + job->phase];
}

static void move(Jrs *s, i32 at) {
    Job *job = s->job + at;
    i32 before = job->phase, server = job->server;
    job->phase = job->next;
    job->moves++;
    if (server < 0) {
        s->level[COST] += cost_of(s, s->demand + job->phase * s->resources)
                          - cost_of(s, s->demand + before * s->resources);
    } else {
        if (!job->virtual) {
            change_use(s, server, before, -1);
            change_use(s, server, job->phase, 1);
            settle_cost(s, server);
        }
        i32 place = s->down[s->observed[server] * s->types + before];
        s->observed[server] = s->up[place * s->types + job->phase];
    }
    draw(s, at);
}

static void go(Jrs *s) {
    i32 at = pop(s), server = s->job[at].server;
    const Job *job = s->job + at;
    s->row->job = job->number;
    s->row->server = server >= 0 ? server : FIRST_BACKUP + 1 + server;
    s->row->pool = job->pool;
    s->row->type = job->phase;
    s->row->phase = job->next;
    s->row->flags = (job->virtual ? OF_VIRTUAL : 0) | (job->next == s->types ? DEPARTED : MOVED);
    s->row->kind = job->next == s->types ? DEPARTURE : MOVE;
    s->had_jobs = server >= 0 ? s->jobs_on[server] : 0;
    if (job->next == s->types) leave(s, at);
    else move(s, at);
    if (server < 0) return;
    if (!s->held[server]) look(s, server, s->observed[server], 0);
    else if (s->cases[s->pool_of[server] * s->configurations + s->observed[server]] == AT_ONCE) s->row->flags |= MISSED;
}

/* Rows and the trail. */

static void open_row(Jrs *s) {
    s->row = s->tape + s->events++ % s->rows;
    *s->row = (Row){.event = s->events, .time = *s->now, .job = -1, .token = -1, .token_age = -1, .first_token = -1,
                    .first_virtual = -1, .server = -1, .pool = -1, .type = -1, .phase = -1, .tokens = -1,
                    .fitting = -1};
    s->had_jobs = 0;
}

static void close_row(Jrs *s) {
    Row *row = s->row;
    if (row->server >= 0) {
        const i64 *use = s->use + row->server * s->resources;
        for (i64 d = 0; d < s->resources; d++)
            if (use[d] > s->capacity[d]) row->flags |= OVERRUN;
        if (s->had_jobs > 0 && !s->jobs_on[row->server]) row->flags |= IDLE;
    }
    u64 word = scrambled(*s->trail ^ (u64)((row->job > 0 ? row->job : 0) * 65536 + row->flags));
    word = scrambled(word ^ (u64)(((i64)row->server + 2147483648) * 1048576 + row->phase + 1));
    row->trail = *s->trail = scrambled(word ^ (u64)((i64)row->made * 2097152 + row->virtual));
    row->cost = s->level[COST];
    row->active = (i32)s->level[ACTIVE];
}

void begin(Jrs *s) {
    for (i64 server = 0; server < s->servers; server++) new_timer(s, server);
}

void run(Jrs *s, i64 events) {
    while (events--) {
        double comes = s->time[s->arrived], moves = s->heap_time[0], rings = s->due[s->tree[1]];
        double due = comes < moves ? comes : moves;
        if (rings < due) due = rings;
        double passed = due - *s->now;
        for (int level = 0; level < LEVELS; level++) s->area[level] += (double)s->level[level] * passed;
        *s->now = due;
        open_row(s);
        if (moves == due) go(s);
        else if (rings == due) ring(s, s->tree[1]);
        else arrive(s);
        close_row(s);
    }
}
