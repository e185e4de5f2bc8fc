/* Event source: see event_source.h.  ebb has checked the file's events one by one before it
 * wrote them. */
#include "engine/track/event_source.h"

#include "base/assert.h"
#include "engine/track/track.h"

static struct {
    struct ring_consumer consumer;
    const u8 *file; /* NULL: it is the ring */
    u64 file_size;
    u64 file_at;
} source;

void event_source_start(void)
{
    source.file = track.events;
    source.file_size = track.events_size;
    if (!source.file)
        ring_consumer_init(&source.consumer, track.ring);
}

static const struct event *file_peek(void)
{
    const struct event *e = (const struct event *)(source.file + source.file_at);
    return source.file_at < source.file_size ? e : NULL;
}

const struct event *event_source_peek(void)
{
    return source.file ? file_peek() : ring_peek(&source.consumer, &track_host);
}

void event_source_advance(const struct event *e)
{
    if (source.file)
        source.file_at += e->size;
    else
        ring_advance(&source.consumer, &track_host, e->size);
}

void event_source_seek(u64 offset)
{
    assert(!source.file || offset <= source.file_size);
    source.file_at = offset;
}

bool event_source_is_last(const struct event *e)
{
    return source.file && source.file_at + e->size >= source.file_size;
}

bool event_source_damaged(void)
{
    return !source.file && source.consumer.damaged;
}
