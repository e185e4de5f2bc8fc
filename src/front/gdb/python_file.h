/* ebb.py as part of the program, so that it always belongs to the same build. */
#ifndef FRONT_PYTHON_FILE_H
#define FRONT_PYTHON_FILE_H

extern const char python_file[], python_file_end[];

#endif
