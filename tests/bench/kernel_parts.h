/* What kernels of two kinds share, in C; SYSTEM is the structure of their arrays, and stands before. */

/* The heap of departures: four-ary, by (time, job number). */

static int sooner(const SYSTEM *s, double time, i64 number, i64 place) {
    return time < s->heap_time[place]
        || (time == s->heap_time[place] && number < s->job_number[s->heap_record[place]]);
}

static void set_entry(SYSTEM *s, i64 place, double time, i32 record) {
    s->heap_time[place] = time;
    s->heap_record[place] = record;
}

static void push(SYSTEM *s, i64 hole, double time, i32 record) {
    i64 number = s->job_number[record];
    while (hole > 0) {
        i64 parent = (hole - 1) >> 2;
        if (!sooner(s, time, number, parent)) break;
        set_entry(s, hole, s->heap_time[parent], s->heap_record[parent]);
        hole = parent;
    }
    set_entry(s, hole, time, record);
}

static i32 pop(SYSTEM *s) {
    i32 first = s->heap_record[0];
    i64 last = --s->number[DEPARTURES], hole = 0;
    double time = s->heap_time[last];
    i32 record = s->heap_record[last];
    set_entry(s, last, INFINITY, -1);
    if (last == 0) return first;
    i64 number = s->job_number[record];
    for (i64 child = 1; child < last; child = 4 * hole + 1) {
        i64 best = child, end = child + 4 < last ? child + 4 : last;
        for (i64 other = child + 1; other < end; other++)
            if (sooner(s, s->heap_time[other], s->job_number[s->heap_record[other]], best))
                best = other;
        if (sooner(s, time, number, best)) break;
        set_entry(s, hole, s->heap_time[best], s->heap_record[best]);
        hole = best;
    }
    set_entry(s, hole, time, record);
    return first;
}

/* The trail of the digest. */

static u64 mixed(u64 word, u64 value) {
    word ^= value;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9ull;
    word = (word ^ word >> 27) * 0x94D049BB133111EBull;
    return word ^ word >> 31;
}
