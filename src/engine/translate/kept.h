/* Kept translations: what one process has translated is mapped into the next.
 *
 * All fragments with their tables and links lie at the same addresses in every process whose code
 * cache does, and they depend on the guest's code, on the engine and on a few settings alone. So
 * they are written to a file as they lie in memory, named after all of that: after the files that
 * the code came from, with their places and times (memory/code_files.h), and after the engine. A
 * process that has mapped the same files at the same places maps the kept fragments over its own.
 *
 *   a file with code is mapped  -->  the list of files is another one:
 *                                    keep what was translated so far (for the old list),
 *                                    look for what was kept for the new list, and use it
 *   the process ends            -->  keep what was translated
 *
 * A program is therefore kept in stages: with its interpreter alone, with its libraries, and as it
 * opens more of them later. A stage of its own needs half as many new fragments as there were.
 *
 * Fragments of other code (generated code, the vDSO) are dropped before the rest is kept. Nothing
 * is used while there are several threads, since one of them may be in a fragment, or while a plan
 * has sites in code.
 *
 * Nothing here changes what the guest does: ticks, moments and recordings are the same.
 */
#ifndef ENGINE_KEPT_H
#define ENGINE_KEPT_H

#include "base/types.h"

/* If the settings name a folder. Afterwards nothing may change on which translations depend. */
void kept_start(void);

/* True if other files with code have been mapped since kept_meet(). */
bool kept_due(void);
/* Keeps what was translated, and uses what was kept for the files that are mapped now. Drops all
 * fragments if there is any: no thread may be in one. */
void kept_meet(void);

#endif
