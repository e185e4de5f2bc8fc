/* The version of ebb; recordings and the control channel have their own versions. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define EBB_VERSION "0.1.0"

#endif
