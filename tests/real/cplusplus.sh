# needs: g++
cat > x.cc <<'C'
#include <iostream>
#include <map>
#include <regex>
#include <stdexcept>
#include <vector>
int main()
{
    std::map<std::string, std::vector<int>> m;
    for (int i = 0; i < 100; i++)
        m["k" + std::to_string(i % 7)].push_back(i);
    for (auto &[k, v] : m)
        std::cout << k << v.size() << ' ';
    try {
        m.at("none");
    } catch (const std::out_of_range &) {
        std::cout << "caught ";
    }
    std::cout << std::regex_replace("a1b22", std::regex("[0-9]+"), "#") << std::endl;
    throw 5;
}
C
ulimit -c 0
g++ -O1 -o x x.cc && ./x 2>/dev/null
echo $?
