/* The version of ebb as a whole; recordings and the control channel have their own. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define EBB_VERSION "0.1.0"

#endif
