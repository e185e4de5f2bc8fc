/* Formats sizes and times: see the header. */
#include "front/cli/figures.h"

#include <stdio.h>
#include <time.h>

enum { NS = 1000000000 };

const char *figures_bytes(char *room, u64 bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < countof(units); unit++)
        value /= 1000;
    snprintf(room, FIGURES_ROOM, unit && value < 99.5 ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return room;
}

const char *figures_time(char *room, u64 ns)
{
    u64 seconds = ns / NS;
    if (seconds >= 60)
        snprintf(room, FIGURES_ROOM, "%llu:%02llu min", (unsigned long long)(seconds / 60),
                 (unsigned long long)(seconds % 60));
    else
        snprintf(room, FIGURES_ROOM, "%.2f s", (double)ns / NS);
    return room;
}

static const char *print_local(char *room, u64 ns, const char *format)
{
    time_t seconds = (time_t)(ns / NS);
    struct tm local;
    if (!localtime_r(&seconds, &local) || !strftime(room, FIGURES_ROOM, format, &local))
        snprintf(room, FIGURES_ROOM, "?");
    return room;
}

const char *figures_date(char *room, u64 ns)
{
    return print_local(room, ns, "%Y-%m-%d %H:%M:%S");
}

const char *figures_clock(char *room, u64 ns)
{
    char clock[FIGURES_ROOM - 8];
    time_t seconds = (time_t)(ns / NS);
    struct tm local;
    if (!localtime_r(&seconds, &local) || !strftime(clock, sizeof clock, "%H:%M:%S", &local))
        snprintf(clock, sizeof clock, "?");
    snprintf(room, FIGURES_ROOM, "%s.%06u", clock, (unsigned)(ns % NS / 1000));
    return room;
}
