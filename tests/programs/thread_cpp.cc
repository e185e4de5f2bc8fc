/* C++ threads: std::thread, async, mutexes, exceptions carried over, thread_local objects.
 *
 * variants: static
 */
#include "check.h"
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::atomic<int> made, destroyed;

struct Local {
    Local() { made++; }
    ~Local() { destroyed++; }
    int value = 0;
};

static thread_local Local local;

static int work(int n)
{
    local.value += n;
    if (n % 7 == 3)
        throw std::runtime_error("three");
    return local.value * 2;
}

int main()
{
    std::vector<std::future<int>> results;
    int sum = 0, thrown = 0;
    for (int i = 0; i < 30; i++)
        results.push_back(std::async(std::launch::async, work, i));
    for (auto &result : results) {
        try {
            sum += result.get();
        } catch (const std::runtime_error &) {
            thrown++;
        }
    }
    printf("%d %d\n", sum, thrown);
    results.clear();
    std::mutex mutex;
    std::condition_variable changed;
    int turn = 0;
    std::vector<std::thread> threads;
    for (int id = 0; id < 3; id++)
        threads.emplace_back([&, id] {
            for (int i = 0; i < 100; i++) {
                std::unique_lock<std::mutex> lock(mutex);
                changed.wait(lock, [&] { return turn % 3 == id; });
                turn++;
                changed.notify_all();
            }
        });
    for (auto &thread : threads)
        thread.join();
    CHECK(turn == 300 && made == 30 && destroyed == 30);
    return done();
}
