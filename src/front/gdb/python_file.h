/* ebb.py as part of the program: gdb's half of ebb is always of the same build. */
#ifndef FRONT_PYTHON_FILE_H
#define FRONT_PYTHON_FILE_H

extern const char python_file[], python_file_end[];

#endif
