/* Files that are read and written past the page cache (O_DIRECT), by threads: the kernel wants the
 * memory aligned as the disk is, also memory that it is only lent.
 *
 * libs: -lpthread
 */
#include "check.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/uio.h>

enum { BLOCK = 4096, BLOCKS = 40 };

static int file;
static int others_run = 1;

static void *alongside(void *unused)
{
    while (__atomic_load_n(&others_run, __ATOMIC_SEQ_CST))
        usleep(100);
    return unused;
}

static char *aligned(size_t size)
{
    void *at = NULL;
    CHECK(posix_memalign(&at, BLOCK, size) == 0);
    return at;
}

static void read_blocks(char *block)
{
    for (int n = 0; n < BLOCKS; n++) {
        CHECK(pread(file, block, BLOCK, n * BLOCK) == BLOCK);
        CHECK(block[0] == 'a' + n % 26 && block[BLOCK - 1] == 'a' + n % 26);
    }
}

/* Each range of a vector is aligned for itself. */
static void read_vector(char *blocks)
{
    struct iovec vector[] = {{blocks + BLOCK, BLOCK}, {blocks, BLOCK}, {blocks + 2 * BLOCK, BLOCK}};
    CHECK(preadv(file, vector, 3, 5 * BLOCK) == 3 * BLOCK);
    CHECK(blocks[BLOCK] == 'f' && blocks[0] == 'g' && blocks[2 * BLOCK] == 'h');
}

int main(void)
{
    pthread_t other;
    char *blocks = aligned(BLOCKS * BLOCK);
    file = open("direct", O_RDWR | O_CREAT | O_DIRECT, 0600);
    if (file < 0 && errno == EINVAL)
        return done(); /* not on this file system */
    CHECK(file >= 0 && pthread_create(&other, NULL, alongside, NULL) == 0);
    for (int n = 0; n < BLOCKS; n++)
        memset(blocks + n * BLOCK, 'a' + n % 26, BLOCK);
    CHECK(pwrite(file, blocks, BLOCKS * BLOCK, 0) == BLOCKS * BLOCK);
    read_blocks(blocks);
    read_vector(blocks);
    CHECK(pread(file, blocks, BLOCKS * BLOCK, 0) == BLOCKS * BLOCK);
    CHECK(pread(file, blocks, BLOCK, BLOCKS * BLOCK) == 0);
    __atomic_store_n(&others_run, 0, __ATOMIC_SEQ_CST);
    CHECK(pthread_join(other, NULL) == 0 && unlink("direct") == 0);
    return done();
}
