/* The parts of a track: see the header.
 *
 * A part costs the start of an engine, reading a snapshot and another translation of the program's
 * code. So there are a few parts for each core, of about the same length. Snapshots exist only
 * where they save more than that.
 */
#include "verifier/verifier_parts_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "log/trimmed.h"

enum { PARTS_PER_CORE = 3 };

struct verifier_parts {
    const struct recording *rec;
    bool trimmed;
    struct snapshot_stored base; /* the snapshot at which a trimmed track begins */
    struct verifier_cut base_cut;
    struct snapshot_stored *list;
    size_t listed;
    struct verifier_cut *cuts;
    size_t count, next;
    struct verifier_cut *here; /* where the next part begins, held; NULL: at the beginning */
    bool begun, over;
};

static int by_tick(const void *a, const void *b)
{
    u64 x = ((const struct snapshot_stored *)a)->about.tick;
    u64 y = ((const struct snapshot_stored *)b)->about.tick;
    return x < y ? -1 : x > y;
}

/* Lists snapshots of the recording, and those that replays have left; none if they are disabled. */
static struct snapshot_stored *verifier_list_snapshots(const struct recording *rec, u32 track,
                                                       size_t *ret)
{
    size_t own_count = 0, kept_count = 0;
    struct snapshot_stored *own = NULL, *kept = NULL;
    if (snapshot_store_on()) {
        own = snapshot_store_list_own(rec, track, &own_count);
        kept = snapshot_store_list(rec->meta.id, track, &kept_count);
    }
    *ret = own_count + kept_count;
    struct snapshot_stored *all = xalloc((*ret + 1) * sizeof *all);
    if (own_count)
        memcpy(all, own, own_count * sizeof *all);
    if (kept_count)
        memcpy(all + own_count, kept, kept_count * sizeof *all);
    qsort(all, *ret, sizeof *all, by_tick);
    free(own);
    free(kept);
    return all;
}

/* Chooses the snapshots that divide the track into about equal parts. */
static void choose_cuts(struct verifier_parts *p, size_t wanted)
{
    u64 length = p->listed ? p->list[p->listed - 1].about.tick : 0, last = p->base.about.tick;
    u64 step = length > last ? (length - last) / wanted : 0;
    for (size_t n = 0; n < p->listed; n++) {
        u64 tick = p->list[n].about.tick;
        bool near_end = length - tick < step / 2; /* the rest becomes part of the last one */
        if (tick <= last || tick - last < step - step / 4 || near_end)
            continue;
        p->cuts[p->count++] = (struct verifier_cut){.stored = &p->list[n], .raw.fd = -1};
        last = tick;
    }
}

struct verifier_parts *verifier_parts_create(const struct recording *rec, u32 track, size_t cores)
{
    struct verifier_parts *p = xalloc(sizeof *p);
    *p = (struct verifier_parts){.rec = rec};
    p->trimmed = trimmed_about(rec, track, &p->base.about);
    p->base_cut = (struct verifier_cut){.stored = &p->base, .raw.fd = -1};
    p->list = verifier_list_snapshots(rec, track, &p->listed);
    p->cuts = xalloc((p->listed + 1) * sizeof *p->cuts);
    choose_cuts(p, cores * PARTS_PER_CORE);
    if (p->count || p->trimmed)
        return p;
    verifier_parts_destroy(p);
    return NULL;
}

void verifier_parts_destroy(struct verifier_parts *p)
{
    if (!p)
        return;
    verifier_cut_release(p->here);
    snapshot_store_list_free(p->list, p->listed);
    free(p->cuts);
    free(p);
}

static struct verifier_cut *hold(struct verifier_cut *cut)
{
    if (cut)
        cut->holders++;
    return cut;
}

void verifier_cut_release(struct verifier_cut *cut)
{
    if (!cut || --cut->holders > 0)
        return;
    close(cut->raw.fd);
    cut->raw.fd = -1;
}

void verifier_cut_remove(const struct verifier_cut *cut)
{
    if (cut && cut->stored->path && !cut->stored->own)
        unlink(cut->stored->path);
}

/* Returns the next cut; NULL: the end. */
static struct verifier_cut *next_cut(struct verifier_parts *p)
{
    while (p->next < p->count) {
        struct verifier_cut *cut = &p->cuts[p->next++];
        struct error *err = snapshot_store_read(cut->stored, &cut->raw);
        if (!err)
            return cut;
        error_destroy(err);
        cut->raw.fd = -1;
    }
    return NULL;
}

bool verifier_parts_trimmed(const struct verifier_parts *p)
{
    return p->trimmed;
}

struct error *verifier_parts_beginning(struct verifier_parts *p, struct verifier_cut **ret)
{
    struct verifier_cut *cut = p->trimmed ? &p->base_cut : NULL;
    struct error *err = NULL;
    if (cut && cut->raw.fd < 0)
        err = trimmed_read(p->rec, &p->base.about, &cut->raw);
    if (!err)
        *ret = hold(cut);
    return err;
}

bool verifier_parts_next(struct verifier_parts *p, struct verifier_cut **ret_from,
                         struct verifier_cut **ret_to)
{
    if (p->over)
        return false;
    struct error *err = p->begun ? NULL : verifier_parts_beginning(p, &p->here);
    p->begun = true;
    p->over = err != NULL;
    error_destroy(err); /* the error is reported when the track is replayed as a whole */
    if (p->over)
        return false;
    struct verifier_cut *to = next_cut(p);
    *ret_from = hold(p->here);
    *ret_to = hold(to);
    verifier_cut_release(p->here);
    p->here = hold(to);
    p->over = !to;
    return true;
}
