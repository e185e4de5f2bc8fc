/* Parses the moments that a user names in `goto`. See the header. */
#include "session/goal_words.h"

#include <stdlib.h>
#include <string.h>

static bool parse_whole(const char *text, u64 *ret)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    *ret = strtoull(text, &end, 0);
    return !*end;
}

/* Parses a number such as "12.5" that is followed by `unit` and the end of the text. */
static bool parse_measure(const char *text, char unit, double *ret)
{
    char *end;
    if (!strchr("0123456789.+-", *text))
        return false;
    *ret = strtod(text, &end);
    return end != text && end[0] == unit && !end[1];
}

static bool parse_moment(const char *text, struct moment *ret)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    *ret = (struct moment){.tick = strtoull(text, &end, 0)};
    return !*end || (*end == ':' && parse_whole(end + 1, &ret->pc));
}

static struct error *find_time(struct session *s, u64 started, const char *text, double seconds,
                               struct moment *ret)
{
    struct session_place place;
    session_place(s, &place);
    bool relative = *text == '+' || *text == '-';
    if (relative && !place.time)
        return error_coded(ERROR_UNAVAILABLE, "the recording has no time for this moment");
    u64 from = relative ? place.time : started;
    double back = -seconds * 1e9;
    u64 time = seconds >= 0 ? from + (u64)(seconds * 1e9)
             : back > (double)from ? 0 : from - (u64)back;
    return session_moment_of_time(s, time, ret);
}

static struct error *find_share(struct session *s, double percent, struct moment *ret)
{
    if (!(percent >= 0 && percent <= 100))
        return error_coded(ERROR_MISUSED, "a share of the recording is between 0%% and 100%%");
    *ret = session_moment_of_share(s, percent / 100);
    return NULL;
}

struct error *goal_words_find(struct session *s, u64 started, const char *words, struct moment *ret)
{
    double measure;
    u64 number;
    if (strcmp(words, "start") == 0)
        return *ret = session_first(s), NULL;
    if (strcmp(words, "end") == 0)
        return *ret = session_last(s), NULL;
    if (strncmp(words, "event ", 6) == 0 && parse_whole(words + 6, &number))
        return session_moment_of_event(s, number, ret);
    if (parse_moment(words, ret))
        return NULL;
    if (parse_measure(words, '%', &measure))
        return find_share(s, measure, ret);
    if (parse_measure(words, 's', &measure) && measure > -1e9 && measure < 1e10)
        return find_time(s, started, words, measure, ret);
    return error_coded(ERROR_MISUSED,
                       "'%s' is not a moment: use TICK, TICK:PC, start, end, 40%%, event N, 12.5s, "
                       "-1s, +0.2s or a bookmark",
                       words);
}
