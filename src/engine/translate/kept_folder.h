/* The folder of kept translations: bounded, the least recently used go first. */
#ifndef ENGINE_KEPT_FOLDER_H
#define ENGINE_KEPT_FOLDER_H

/* A file was added: removes those that were not used for longest, as long as all together are
 * larger than the setting. */
void kept_folder_make_room(const char *folder);

#endif
