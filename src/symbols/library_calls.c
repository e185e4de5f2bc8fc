/* Parameters and results of C library functions, so that `print strlen(s)` needs no cast. The
 * library's debug information is rarely installed.
 *
 * The letters mean: i int, u unsigned int, l long, p pointer, d double. A dot means any number of
 * further arguments.
 */
#include "symbols/values_internal.h"

static const struct {
    const char *name, *result, *parameters;
} library_functions[] = {
    {"abs", "int", "i"},                {"access", "int", "pi"},
    {"atof", "double", "p"},            {"atoi", "int", "p"},
    {"atol", "long", "p"},              {"calloc", "void *", "ll"},
    {"ceil", "double", "d"},            {"close", "int", "i"},
    {"cos", "double", "d"},             {"dup", "int", "i"},
    {"exit", "void", "i"},              {"exp", "double", "d"},
    {"fabs", "double", "d"},            {"fflush", "int", "p"},
    {"floor", "double", "d"},           {"fmod", "double", "dd"},
    {"fopen", "void *", "pp"},          {"fprintf", "int", "pp."},
    {"fputc", "int", "ip"},             {"fputs", "int", "pp"},
    {"free", "void", "p"},              {"fwrite", "unsigned long", "pllp"},
    {"getenv", "char *", "p"},          {"getpid", "int", ""},
    {"getppid", "int", ""},             {"gettid", "int", ""},
    {"isalnum", "int", "i"},            {"isalpha", "int", "i"},
    {"isatty", "int", "i"},             {"isdigit", "int", "i"},
    {"isspace", "int", "i"},            {"labs", "long", "l"},
    {"log", "double", "d"},             {"log10", "double", "d"},
    {"log2", "double", "d"},            {"malloc", "void *", "l"},
    {"malloc_usable_size", "unsigned long", "p"},
    {"memchr", "void *", "pil"},        {"memcmp", "int", "ppl"},
    {"memcpy", "void *", "ppl"},        {"memmove", "void *", "ppl"},
    {"memset", "void *", "pil"},        {"open", "int", "pi."},
    {"perror", "void", "p"},            {"pow", "double", "dd"},
    {"printf", "int", "p."},            {"putchar", "int", "i"},
    {"puts", "int", "p"},               {"rand", "int", ""},
    {"read", "long", "ipl"},            {"realloc", "void *", "pl"},
    {"round", "double", "d"},           {"setenv", "int", "ppi"},
    {"sin", "double", "d"},             {"snprintf", "int", "plp."},
    {"sprintf", "int", "pp."},          {"sqrt", "double", "d"},
    {"strcasecmp", "int", "pp"},        {"strcat", "char *", "pp"},
    {"strchr", "char *", "pi"},         {"strcmp", "int", "pp"},
    {"strcpy", "char *", "pp"},         {"strdup", "char *", "p"},
    {"strerror", "char *", "i"},        {"strlen", "unsigned long", "p"},
    {"strncasecmp", "int", "ppl"},      {"strncmp", "int", "ppl"},
    {"strncpy", "char *", "ppl"},       {"strndup", "char *", "pl"},
    {"strnlen", "unsigned long", "pl"}, {"strrchr", "char *", "pi"},
    {"strstr", "char *", "pp"},         {"strtol", "long", "ppi"},
    {"strtoul", "unsigned long", "ppi"}, {"tan", "double", "d"},
    {"tolower", "int", "i"},            {"toupper", "int", "i"},
    {"write", "long", "ipl"},
};

static struct type *library_parameter(struct evaluation *v, char letter)
{
    switch (letter) {
    case 'i': return type_builtin(v, "int");
    case 'u': return type_builtin(v, "unsigned int");
    case 'l': return type_builtin(v, "long");
    case 'd': return type_builtin(v, "double");
    default: return type_pointer(v, type_builtin(v, "void"));
    }
}

static struct type *library_result(struct evaluation *v, const char *text)
{
    char *name = values_copy(v, text, strcspn(text, "*"));
    size_t length = strlen(name);
    if (length && name[length - 1] == ' ')
        name[length - 1] = 0;
    struct type *t = type_builtin(v, name);
    return strchr(text, '*') ? type_pointer(v, t) : t;
}

bool library_call(struct evaluation *v, const char *name, struct callable *ret)
{
    size_t n = 0;
    while (n < countof(library_functions) && strcmp(library_functions[n].name, name) != 0)
        n++;
    if (n == countof(library_functions))
        return false;
    const char *letters = library_functions[n].parameters;
    ret->result = library_result(v, library_functions[n].result);
    ret->parameter_count = strcspn(letters, ".");
    ret->is_variadic = letters[ret->parameter_count] == '.';
    ret->parameters = values_alloc(v, (ret->parameter_count + 1) * sizeof *ret->parameters);
    for (size_t i = 0; i < ret->parameter_count; i++)
        ret->parameters[i] = library_parameter(v, letters[i]);
    return true;
}
