/* insn-make: writes a corpus for the instruction test.
 *
 *   insn-make OUT SEED CASES LOW HIGH
 *
 * Two thirds of the cases are single instructions: every form in turn, the weightier ones more
 * often, in an order that the seed decides.  The rest are sequences and control flow.
 */
#include "make.h"

#include <stdio.h>
#include <stdlib.h>

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

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: insn-make OUT SEED CASES LOW HIGH\n");
        return 2;
    }
    struct maker m;
    struct forms forms = {0};
    maker_init(&m, strtoull(argv[2], NULL, 0), strtoull(argv[4], NULL, 0),
               strtoull(argv[5], NULL, 0));
    forms_sweep(&forms, m.header.xmask);
    corpus_make(&m, &forms, strtoull(argv[3], NULL, 0));
    maker_write(&m, argv[1]);
    printf("%zu forms, %zu cases\n", forms.count, m.cases.count);
    return 0;
}
