"""The Python feed inside a real CPython: every stack that it reads must be the one that Python itself reports.

Run by test_python_frames.sh under each CPython of the machine: test_python_frames.py PROBE_LIBRARY. Prints TAP.
"""

import asyncio
import contextlib
import ctypes
import functools
import os
import subprocess
import sys
import threading
import traceback

VERSION = "CPython %d.%d.%d" % sys.version_info[:3]
LIBRARY = ctypes.CDLL(sys.argv[1])  # such calls release the GIL
for function in (LIBRARY.probe, LIBRARY.probe_start, LIBRARY.probe_facts):
    function.restype = ctypes.c_char_p


def python_says():
    """Function, file and line of every frame, from our caller outwards."""
    result, frame = [], sys._getframe(1)
    while frame:
        result.append((frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return result


def feed_sees():
    """The same, from LIBRARY.probe(), without the native frames."""
    result = []
    for line in os.fsdecode(LIBRARY.probe()).splitlines():
        if line.startswith("P "):
            name, rest = line[2:].split(" ", 1)
            file, number = rest.rsplit(":", 1)
            result.append((name, file, int(number)))
    return result[1:]


def same():
    """Both agree, as far as the feed keeps frames; true, so that it can stand anywhere in an expression."""
    seen, said = feed_sees(), python_says()  # on one line
    depth = min(len(said), 100)
    if seen[:depth] != said[:depth] or (len(said) < 100 and len(seen) != len(said)):
        raise AssertionError("seen  %r\nPython %r" % (seen, said))
    return True


def names():
    """The stack outwards from our caller, native runs as one "native", the interpreter's start cut off."""
    result = []
    for line in os.fsdecode(LIBRARY.probe()).splitlines():
        item = line.split(" ")[1] if line.startswith("P ") else "native"
        if item != "native" or result[-1:] != ["native"]:
            result.append(item)
    return result[result.index("names") + 1 :]


# ---- what a program can be doing --------------------------------------------------------------------------------


def in_a_function():
    same()


def in_a_method():
    class Model:
        def forward(self):
            return self.layer()

        def layer(self):
            return same()

        @property
        def size(self):
            return same()

        @staticmethod
        def make():
            return same()

        @classmethod
        def load(cls):
            return same()

        def __call__(self):
            return same()

    model = Model()
    model.forward(), model.size, model.make(), model.load(), model()


def on_a_line_of_a_long_statement():
    value = [
        1,
        same(),
        functools.reduce(
            lambda a, b: (a, same()),
            [1, 2, 3],
        ),
    ]
    assert value


def in_a_generator():
    def inner():
        same()
        yield 1
        same()

    def outer():
        yield from inner()
        same()

    list(outer())
    for _ in outer():
        same()
    sum(x for x in [1] if same())


def in_a_coroutine():
    async def leaf():
        await asyncio.sleep(0)
        same()
        return 1

    async def agen():
        yield await leaf()
        same()

    async def main():
        await leaf()
        await asyncio.gather(leaf(), leaf())
        async for _ in agen():
            same()
        async with manager():
            same()

    @contextlib.asynccontextmanager
    async def manager():
        same()
        yield
        same()

    asyncio.run(main())


def in_a_comprehension():
    [same() for _ in range(2)]
    {same() for _ in range(2)}
    {i: same() for i in range(2)}
    [[same() for _ in range(2)] for _ in range(2)]


def in_a_callback_of_c_code():
    sorted([2, 1], key=lambda x: (same(), x))
    list(map(lambda x: same(), [1]))
    max([1, 2], key=lambda x: same())

    class Ordered:
        def __init__(self, value):
            self.value = value

        def __lt__(self, other):
            return same() and self.value < other.value

    sorted([Ordered(2), Ordered(1)])


def in_a_decorated_function():
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    @decorate
    @decorate
    def target(a, *, b):
        return same()

    target(1, b=2)
    functools.partial(target, 1)(b=2)


def while_an_object_dies():
    class Tensor:
        def __del__(self):
            same()

    def scope():
        tensor = Tensor()
        return id(tensor)

    scope()
    sorted([1], key=lambda x: scope())


def in_a_with_block_and_a_handler():
    @contextlib.contextmanager
    def manager():
        same()
        try:
            yield
        finally:
            same()

    with manager():
        same()
    try:
        with manager():
            raise ValueError
    except ValueError:
        same()


def in_a_class_body():
    class Body:
        same()


def in_a_deep_recursion():
    def down(n):
        return down(n - 1) if n else same()

    down(60)
    down(600)


def in_many_threads():
    results = []

    def work(n):
        def nested(m):
            return nested(m - 1) if m else same()

        for _ in range(50):
            nested(n)
        results.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == list(range(8))


def run_source(source, file, name):
    namespace = {"same": same}
    exec(compile(source, file, "exec"), namespace)
    return namespace.pop(name)()  # no cycle: its code goes at once, and the next may lie there


def with_names_in_other_scripts():
    for name, file in [
        ("größe", "übung.py"),
        ("размер", "папка/файл.py"),
        ("大小", "\U0001f600/文件.py"),
        ("size", "\U0001f600.py"),
        ("ascii", "bytes-\udcff-\udc80.py"),
    ]:
        run_source("def %s():\n\n    return same()\n" % name, file, name)


def with_code_at_reused_addresses():
    for i in range(500):
        run_source("def f%03d():\n    return same()\n" % i, "<generated %d>" % i, "f%03d" % i)
    for i in range(400):  # which differ in nothing but where their lines are
        run_source("def f():\n" + "\n" * (i % 40) + "    return same()\n" + "\n" * (40 - i % 40), "<generated>", "f")


def with_far_apart_lines():
    run_source("def f():\n" + "\n" * 1000 + "    x = 1\n" + "\n" * 70000 + "    return same()\n", "<far>", "f")
    run_source("def f():\n" + "    x = []\n" * 300 + "    return same()\n", "<long>", "f")
    # Steps back: the call's line follows the lines of its arguments.
    run_source("def f():\n    return (same\n\n\n    )()\n", "<back>", "f")
    run_source("def f():\n    return [\n\n 1 for i in (1,\n\n 2)\n if same()]\n", "<back>", "f")


def native_frames_stay_where_they_ran():
    callback_type = ctypes.CFUNCTYPE(ctypes.c_int)
    seen = []

    def inner():
        seen[:] = names()
        return 0

    c_inner = callback_type(inner)

    def outer():
        return c_inner()

    outer()
    want = ["inner", "native", "outer", "native_frames_stay_where_they_ran", "main", "<module>"]
    assert seen[: len(want)] == want, seen


def not_with_sub_interpreters():
    try:
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
    except ImportError:
        return "no sub-interpreters here"
    interpreter = interpreters.create()
    text, facts = LIBRARY.probe().decode(), LIBRARY.probe_facts().decode()
    interpreters.destroy(interpreter)
    assert "P " not in text, text
    assert facts == "fact python-declined=while there were sub-interpreters\n", facts
    same()


def without_harm_at_the_end():
    """During finalization there are no Python frames, and no crash."""
    script = """if True:
        import atexit, ctypes, sys, threading
        library = ctypes.CDLL(sys.argv[1])
        probe = library.probe
        probe.restype = ctypes.c_char_p
        library.probe_start()
        class Late:
            def __init__(self): self.probe = probe
            def __del__(self): self.probe()
        late = Late()
        sys.late = Late()
        atexit.register(probe)
        stop = threading.Event()
        def work():
            while True: probe()
        for _ in range(4): threading.Thread(target=work, daemon=True).start()
        for _ in range(20): probe()
    """
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", script, sys.argv[1]], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60)
        assert done.returncode == 0, (done.returncode, done.stdout)


TESTS = [
    in_a_function,
    in_a_method,
    on_a_line_of_a_long_statement,
    in_a_generator,
    in_a_coroutine,
    in_a_comprehension,
    in_a_callback_of_c_code,
    in_a_decorated_function,
    while_an_object_dies,
    in_a_with_block_and_a_handler,
    in_a_class_body,
    in_a_deep_recursion,
    in_many_threads,
    with_names_in_other_scripts,
    with_code_at_reused_addresses,
    with_far_apart_lines,
    native_frames_stay_where_they_ran,
    not_with_sub_interpreters,
    without_harm_at_the_end,
]


def main():
    failed = 0
    print("1..%d" % (len(TESTS) + 1))
    facts = LIBRARY.probe_start().decode()
    want = "fact python=%s\n" % sys.version.split()[0]
    print("%s 1 - %s: is recognised" % ("ok" if facts == want else "not ok", VERSION))
    failed += facts != want
    for number, test in enumerate(TESTS, 2):
        name = "%s: %s" % (VERSION, test.__name__)
        try:
            skipped = test()
            print("ok %d - %s%s" % (number, name, " # SKIP " + skipped if skipped else ""))
        except Exception:
            failed += 1
            print("not ok %d - %s" % (number, name))
            print("".join("# " + line + "\n" for line in traceback.format_exc().splitlines()))
    sys.stdout.flush()
    return failed != 0


sys.exit(main())
