/* Kept translations: see kept.h. This file decides what is kept and used; kept_file.c has the form
 * of the files, kept_folder.c bounds their number. */
#include "engine/translate/kept.h"

#include <asm/stat.h>
#include <linux/fcntl.h>

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/settings.h"
#include "engine/base/text.h"
#include "engine/log/observer.h"
#include "engine/memory/code_files.h"
#include "engine/memory/code_watch.h"
#include "engine/translate/code_cache.h"
#include "engine/translate/code_sites.h"
#include "engine/translate/fragment.h"
#include "engine/translate/kept_file.h"
#include "engine/translate/kept_folder.h"
#include "engine/translate/translate.h"
#include "engine/x86_64/emulated.h"
#include "engine/x86_64/lower.h"

enum {
    WORTH_KEEPING = 100, /* fragments that are new */
    /* and one in so many of those that were kept before: at the end, and between two stages, of
     * which a large program has hundreds */
    SHARE_AT_END = 8,
    SHARE_BETWEEN = 2,
};

static struct {
    bool on;
    u32 fragments; /* how many of the present ones are in a file, of this stage or an earlier one */
    bool narrow;   /* they use a narrow look-up table (lookup_table.h) */
    u64 identity[KEPT_IDENTITY];
    struct kept_path path; /* of the file for `files`; empty: there are none */
    struct kept_header header;
    struct code_files files; /* as they were when kept_meet() looked at them */
} kept;

/* The engine's own file: another engine translates differently. */
static bool identify_engine(u64 ret[5])
{
    struct stat s;
    if (kernel_call(__NR_stat, "/proc/self/exe", &s))
        return false;
    ret[0] = s.st_dev;
    ret[1] = s.st_ino;
    ret[2] = (u64)s.st_size;
    ret[3] = (u64)s.st_mtime << 32 ^ (u64)s.st_mtime_nsec;
    ret[4] = (u64)s.st_ctime << 32 ^ (u64)s.st_ctime_nsec;
    return true;
}

bool kept_due(void)
{
    return kept.on && kept.files.version != code_files_now()->version;
}

/* --- keeping ------------------------------------------------------------------------ */

static u64 kept_mix(u64 sum, const void *bytes, u64 size, u64 factor)
{
    const u64 *word = bytes;
    for (u64 n = 0; n < size / 8; n++) {
        sum = (sum ^ word[n]) * factor;
        sum ^= sum >> 32;
    }
    return sum;
}

static void add_sum(struct text *t, u64 factor)
{
    u64 sum = kept_mix(factor, kept.identity, sizeof(kept.identity), factor);
    u64 size = kept.files.count * sizeof(kept.files.file[0]);
    text_add_hex_wide(t, kept_mix(sum, kept.files.file, size, factor), 16);
}

static void name_file(void)
{
    struct text t = TEXT(kept.path.text);
    kept.path.text[0] = '\0';
    if (!kept.files.count)
        return;
    text_add(&t, settings.kept);
    text_add_char(&t, '/');
    add_sum(&t, 0x9e3779b97f4a7c15);
    add_sum(&t, 0xc2b2ae3d27d4eb4f);
}

static bool is_kept_page(u64 page)
{
    return code_files_hold(&kept.files, page);
}

static void kept_find_parts(struct kept_header *h)
{
    code_cache_parts(&h->cache, h->parts);
    fragments_parts(h->parts + CODE_CACHE_PARTS);
    lookup_parts(&h->lookup, h->parts + CODE_CACHE_PARTS + FRAGMENTS_PARTS);
}

static void kept_save_if_new(u32 share)
{
    if (kept.narrow && lookup_held().bits)
        kept.fragments = 0; /* all were made anew, for the wide table */
    u32 wanted = kept.fragments + WORTH_KEEPING + kept.fragments / share;
    struct fragments_held held = fragments_held();
    if (!kept.on || !kept.path.text[0] || held.fragments < wanted || fragments.variant ||
        code_sites.code_at || code_sites.point_at)
        return;
    fragments_drop_unless(is_kept_page);
    kept.header = (struct kept_header){
        .cache = code_cache_held(), .fragments = held, .lookup = lookup_held()};
    memcpy(kept.header.identity, kept.identity, sizeof(kept.identity));
    kept_find_parts(&kept.header);
    if (kept_file_write(settings.kept, &kept.path, &kept.header, &kept.files))
        kept_folder_make_room(settings.kept);
    kept.fragments = held.fragments;
    kept.narrow = !kept.header.lookup.bits;
}

static void kept_save(void)
{
    kept_save_if_new(SHARE_AT_END);
}

/* What the parent had translated is kept by the parent. */
static void kept_forked(void)
{
    kept.fragments = fragments_held().fragments;
    kept.narrow = !lookup_held().bits;
}

/* --- using -------------------------------------------------------------------------- */

/* The header is one that was written here, but perhaps by another engine. */
static bool kept_fits(const struct kept_header *h)
{
    struct kept_header here = {.cache = h->cache, .lookup = h->lookup};
    if (memcmp(h->identity, kept.identity, sizeof(kept.identity)) || !code_cache_fits(&h->cache) ||
        !lookup_fits(&h->lookup))
        return false;
    kept_find_parts(&here);
    for (unsigned n = 0; n < KEPT_PARTS; n++)
        if (h->parts[n].at != here.parts[n].at)
            return false;
    return true;
}

/* Watches all pages of the files. Those that hold no translated code do no harm. */
static void watch_files(void)
{
    for (u32 n = 0; n < kept.files.count; n++)
        code_watch_add(kept.files.file[n].start, kept.files.file[n].end);
}

static void use(i32 fd, bool sealed)
{
    fragments_leave_all();
    kept_file_map(fd, &kept.header);
    if (!sealed && !kept_file_verify(&kept.path, &kept.header)) {
        kernel_call(__NR_unlink, kept.path.text);
        translate_drop_all();
        return;
    }
    code_cache_resume(&kept.header.cache);
    fragments_resume(&kept.header.fragments);
    lookup_resume(&kept.header.lookup);
    kept.narrow = !kept.header.lookup.bits;
    kept.fragments = kept.header.fragments.fragments;
    watch_files();
    kept_file_used(fd);
}

static void note_files(void)
{
    const struct code_files *now = code_files_now();
    kept.files.count = now->count;
    kept.files.version = now->version;
    memcpy(kept.files.file, now->file, now->count * sizeof(now->file[0]));
}

void kept_meet(void)
{
    bool sealed;
    kept_save_if_new(SHARE_BETWEEN);
    note_files();
    name_file();
    if (!kept.path.text[0] || code_sites.code_at || code_sites.point_at || fragments.variant)
        return;
    i32 fd = kept_file_open(&kept.path, &kept.header, &sealed);
    if (fd < 0)
        return;
    if (kept_fits(&kept.header) && kept_file_matches(fd, &kept.header, &kept.files))
        use(fd, sealed);
    kernel_call(__NR_close, fd);
}

void kept_start(void)
{
    bool plain = settings.link && !settings.chaos && !settings.entries && !settings.blocks;
    kept.on = settings.kept && plain && identify_engine(kept.identity);
    if (kept.on) {
        observer.leaves = kept_save;
        observer.forked = kept_forked;
    }
    kept.identity[5] = (u64)settings.block << 32 | settings.counters;
    kept.identity[6] = (u64)emulated_kind() << 1 | lower_uses_loop();
    kept.identity[7] = settings.cpu;
}
