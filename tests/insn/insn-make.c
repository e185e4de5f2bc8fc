/* insn-make: writes a corpus for the instruction test.
 *
 *   insn-make OUT SEED CASES LOW HIGH
 *   insn-make OUT SEED stores LOW HIGH     every form that writes memory, alone, once
 *
 * Two thirds of the cases are single instructions: every form in turn, the weightier ones more
 * often, in an order that the seed decides.  The rest are sequences and control flow.
 */
#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every form as often as it weighs, shuffled. */
static const struct form **order_draw(struct maker *m, const struct forms *forms, size_t *count)
{
    size_t n = 0;
    for (size_t i = 0; i < forms->count; i++)
        n += forms->all[i].weight;
    const struct form **order = malloc(n * sizeof *order);
    if (!order)
        abort();
    *count = n;
    for (size_t i = 0; i < forms->count; i++)
        for (int k = 0; k < forms->all[i].weight; k++)
            order[--n] = &forms->all[i];
    for (size_t i = *count; i > 1; i--) {
        size_t k = draw(m, i);
        const struct form *swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
    return order;
}

static void corpus_make(struct maker *m, const struct forms *forms, size_t cases)
{
    size_t count, next = 0;
    const struct form **order = order_draw(m, forms, &count);
    sequence_init(forms);
    while (m->cases.count < cases) {
        switch (draw(m, 6)) {
        case 0: flow_make(m); break;
        case 1: sequence_make(m); break;
        default: single_make(m, order[next++ % count]); break;
        }
    }
    free(order);
}

/* Does one of the form write memory?  Some do so with some operands only. */
static bool writes_memory(struct maker *m, const struct form *form)
{
    struct insn insn;
    for (int tries = 0; tries < 8; tries++) {
        if (!insn_draw(m, form, NULL, &insn))
            continue;
        for (int n = 0; n < insn.is.operand_count; n++)
            if (insn.op[n].type == ZYDIS_OPERAND_TYPE_MEMORY && insn.op[n].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
                return true;
    }
    return false;
}

static void stores_make(struct maker *m, const struct forms *forms)
{
    for (size_t i = 0; i < forms->count; i++) {
        case_begin(m); /* drawing fixes registers */
        bool writes = writes_memory(m, &forms->all[i]);
        case_unfix(m);
        if (writes)
            single_make(m, &forms->all[i]);
    }
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: insn-make OUT SEED CASES|stores LOW HIGH\n");
        return 2;
    }
    struct maker m;
    struct forms forms = {0};
    maker_init(&m, strtoull(argv[2], NULL, 0), strtoull(argv[4], NULL, 0),
               strtoull(argv[5], NULL, 0));
    forms_sweep(&forms, m.header.xmask);
    if (strcmp(argv[3], "stores") == 0)
        stores_make(&m, &forms);
    else
        corpus_make(&m, &forms, strtoull(argv[3], NULL, 0));
    maker_write(&m, argv[1]);
    printf("%zu forms, %zu cases\n", forms.count, m.cases.count);
    return 0;
}
