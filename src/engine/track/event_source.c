/* Event source: see event_source.h.  ebb has checked the file's events one by one before it wrote them. */
#include "engine/track/event_source.h"

#include "engine/track/track.h"

static struct ring_consumer consumer;

static const u8 *file; /* NULL: it is the ring */
static u64 file_size;
static u64 file_at;

void event_source_start(void)
{
    file = track_events;
    file_size = track_events_size;
    if (!file)
        ring_consumer_init(&consumer, track_ring);
}

static const struct event *file_peek(void)
{
    const struct event *e = (const struct event *)(file + file_at);
    return file_at < file_size ? e : NULL;
}

const struct event *event_source_peek(void)
{
    return file ? file_peek() : ring_peek(&consumer, &track_host);
}

void event_source_advance(const struct event *e)
{
    if (file)
        file_at += e->size;
    else
        ring_advance(&consumer, &track_host, e->size);
}

bool event_source_is_last(const struct event *e)
{
    return file && file_at + e->size >= file_size;
}

bool event_source_damaged(void)
{
    return !file && consumer.damaged;
}
