/* The user's home directory. */
#ifndef BASE_HOME_DIRECTORY_H
#define BASE_HOME_DIRECTORY_H

/* $HOME, or the directory in /etc/passwd; NULL if there is none. It stays valid until the next
 * call. */
const char *home_directory(void);

#endif
