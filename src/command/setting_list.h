/* Settings for an engine, collected from the command line. */
#ifndef COMMAND_SETTING_LIST_H
#define COMMAND_SETTING_LIST_H

/* A list starts zeroed. A setting that is given again replaces the earlier one. */
struct setting_list {
    char *text; /* "name=value,name=value", or NULL while there is none */
};

/* Adds `setting`, which is NAME=VALUE. Returns 0, or a status after a complaint. */
int setting_list_add(struct setting_list *list, const char *setting);

/* Valid until the next addition. */
const char *setting_list_text(const struct setting_list *list);

/* The row of a command's options. */
#define SETTING_OPTION(id_, help_) \
    {.id = id_, .name = "setting", .value = "NAME=VALUE", .repeats = true, .help = help_}

/* Prints the settings that there are, a line each. */
void setting_list_explain(void);

#endif
