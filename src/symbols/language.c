/* The source language of a unit, as far as it matters for values. */
#include <dwarf.h>

#include "symbols/values_internal.h"

enum language language_of_unit(Dwarf_Die *unit)
{
    enum { C_PLUS_PLUS_17 = 0x2a, C_PLUS_PLUS_20 = 0x2b }; /* dwarf.h of 2022 lacks them */
    switch (dwarf_srclang(unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case C_PLUS_PLUS_17:
    case C_PLUS_PLUS_20: return LANGUAGE_CPLUSPLUS;
    case DW_LANG_Rust: return LANGUAGE_RUST;
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08: return LANGUAGE_FORTRAN;
    default: return LANGUAGE_C;
    }
}

enum language language_of_die(Dwarf_Die *die)
{
    Dwarf_Die unit;
    return dwarf_diecu(die, &unit, NULL, NULL) ? language_of_unit(&unit) : LANGUAGE_C;
}
