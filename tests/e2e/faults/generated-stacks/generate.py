# Writes C functions that call each other at random, with frames of every layout that compilers make: of fixed, large and
# changing size, aligned, with arguments on the stack, left by a tail call, and with numbers in the registers that a
# function must save.   generate.py SEED COUNT
import random
import sys

random.seed(int(sys.argv[1]))
count = int(sys.argv[2])
KINDS = ["plain", "buffer", "aligned", "changing", "both", "both", "large", "arguments", "tail"]


def body(kind):
    live = range(random.randrange(6))
    numbers = "".join(f"long n{i} = HIDDEN({i});" for i in live)
    uses = "".join(f"USE(n{i} + n{(i + 1) % len(live)});" for i in live)
    size = random.choice([8, 16, 24, 48, 80, 136])
    align = random.choice([32, 64, 128])
    room = {
        "buffer": f"struct {{ char first[{random.choice([1, 16, 32, 48])}], second[{size}]; }} l; char *at = l.second;"
                  f"l.first[0] = 1; {random.choice(['fill(at);', 'USE(at);'])}",
        "aligned": f"_Alignas({align}) char area[{size}]; char *at = area; USE(at);",
        "changing": "char *at = __builtin_alloca(1 + 16 * draw(calls, 3)); USE(at);",
        "both": f"_Alignas({align}) char area[{size}]; char *at = __builtin_alloca(1 + 16 * draw(calls, 3));"
                "USE(area); USE(at);",
        "large": f"char area[{random.choice([5000, 70000])}]; char *at = area; USE(at);",
    }.get(kind, "char *at = 0;")
    if kind == "tail":
        return f"ENTER(calls); {numbers} {uses} LEAVE(calls); go_on(calls, depth);"
    if kind == "arguments":
        onward = "many(calls, depth, " + ", ".join(f"HIDDEN({i})" for i in range(random.randrange(5, 11))) + ", 0);"
        onward = onward if random.random() < 0.5 else "go_on(calls, depth);" + onward.replace("many", "if (depth < 0) many")
    else:
        onward = "go_on(calls, depth);"
    return f"ENTER(calls); {room} {numbers} {onward} USE(at); {uses} LEAVE(calls);"


print('#include "calls.h"')
for i in range(count):
    print(f"__attribute__((noinline)) void f{i}(struct calls *calls, int depth) {{ {body(random.choice(KINDS))} BARRIER; }}"
          .replace("go_on(calls, depth); BARRIER;", "go_on(calls, depth);"))
print(f"function *const functions[] = {{{', '.join(f'f{i}' for i in range(count))}}};")
print(f"const unsigned function_count = {count};")
