"""Right solutions of one small problem, each unusual in what it takes of the machine: threads, processes, depth, output.

`solve(numbers)` gives the squares, sorted. Each solution uses some tenths of a second of processor time, somewhere.
"""

from __future__ import annotations

import textwrap

LIMIT_S = 2.0
"""What an answer may take; none needs half of it on a machine that does nothing else."""
CHECK = f"""
def test_it(ws):
    numbers = [ws.rng.randrange(-1000, 1000) for _ in range(50)]
    with ws.limit({LIMIT_S}):
        assert list(ws.load("calc").solve(numbers)) == sorted(n * n for n in numbers)
"""
_BURN = """
import time

def burn(seconds=0.3):
    end = time.thread_time() + seconds
    while time.thread_time() < end: pass

def squares(numbers):
    return sorted(n * n for n in numbers)
"""
_KINDS = {
    "a locale": """
        import decimal,locale
        import calendar
        def solve(numbers):
            locale.setlocale(locale.LC_ALL, "")
            calendar.LocaleTextCalendar(locale="C.UTF-8").formatmonth(2020, 1)
            return squares(numbers)
    """,
    "plain": """
        def solve(numbers):
            burn(0.8)
            return squares(numbers)
    """,
    "one thread": """
        import threading
        def solve(numbers):
            found = []
            def work():
                burn(0.5)
                found.extend(squares(numbers))
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            return found
    """,
    "a pool of threads": """
        from concurrent.futures import ThreadPoolExecutor
        def solve(numbers):
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(burn, [0.05] * 8))
                return sorted(pool.map(lambda n: n * n, numbers))
    """,
    "three hundred short threads": """
        import threading
        def solve(numbers):
            for _ in range(300):
                thread = threading.Thread(target=burn, args=(0.001,))
                thread.start()
                thread.join()
            return squares(numbers)
    """,
    "threads that take turns": """
        import queue, threading
        def solve(numbers):
            there, back = queue.Queue(), queue.Queue()
            def work():
                while (n := there.get()) is not None:
                    burn(0.005)
                    back.put(n * n)
            thread = threading.Thread(target=work)
            thread.start()
            found = []
            for n in numbers:
                there.put(n)
                found.append(back.get())
            there.put(None)
            thread.join()
            return sorted(found)
    """,
    "threads at one lock": """
        import threading
        def solve(numbers):
            lock, found = threading.Lock(), []
            def work(some):
                for n in some:
                    with lock:
                        burn(0.005)
                        found.append(n * n)
            threads = [threading.Thread(target=work, args=(numbers[at::4],)) for at in range(4)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            return sorted(found)
    """,
    "threads at a barrier": """
        import threading
        def solve(numbers):
            barrier = threading.Barrier(4)
            def work():
                for _ in range(10):
                    burn(0.005)
                    barrier.wait()
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            return squares(numbers)
    """,
    "a timer": """
        import threading
        def solve(numbers):
            done = threading.Event()
            threading.Timer(0.3, done.set).start()
            done.wait()
            burn()
            return squares(numbers)
    """,
    "a daemon thread that goes on": """
        import threading
        def solve(numbers):
            threading.Thread(target=lambda: [time.sleep(0.01) for _ in iter(int, 1)], daemon=True).start()
            burn()
            return squares(numbers)
    """,
    "threads that switch often": """
        import sys, threading
        def solve(numbers):
            sys.setswitchinterval(1e-5)
            threads = [threading.Thread(target=burn, args=(0.1,)) for _ in range(3)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            return squares(numbers)
    """,
    "a Python of its own": """
        import json, subprocess, sys
        def solve(numbers):
            code = "import json, sys; print(json.dumps(sorted(n * n for n in json.load(sys.stdin))))"
            done = subprocess.run([sys.executable or "python3", "-c", code], input=json.dumps(numbers), text=True,
                                  capture_output=True)
            burn()
            return json.loads(done.stdout)
    """,
    "a shell": """
        import subprocess
        def solve(numbers):
            text = "".join(f"{n * n}\\n" for n in numbers)
            burn()
            return [int(n) for n in subprocess.run(["sort", "-n"], input=text, text=True, capture_output=True).stdout.split()]
    """,
    "twenty short commands": """
        import subprocess
        def solve(numbers):
            for _ in range(20):
                subprocess.run(["true"])
            burn()
            return squares(numbers)
    """,
    "a fork": """
        import os
        def solve(numbers):
            out, back = os.pipe()
            if os.fork() == 0:
                burn(0.4)
                os.write(back, repr(squares(numbers)).encode())
                os._exit(0)
            os.close(back)
            found = eval(os.read(out, 1 << 16))
            os.wait()
            return found
    """,
    "five forks in turn": """
        import os
        def solve(numbers):
            for _ in range(5):
                if os.fork() == 0:
                    burn(0.08)
                    os._exit(0)
                os.wait()
            return squares(numbers)
    """,
    "five forks at once": """
        import os
        def solve(numbers):
            for _ in range(5):
                if os.fork() == 0:
                    burn(0.1)
                    os._exit(0)
            for _ in range(5): os.wait()
            return squares(numbers)
    """,
    "a grandchild that nobody waits for": """
        import os
        def solve(numbers):
            out, back = os.pipe()
            if os.fork() == 0:
                if os.fork() == 0:
                    burn(0.3)
                    os.write(back, b"done")
                os._exit(0)
            os.wait()
            os.read(out, 4)
            return squares(numbers)
    """,
    "a child that goes on": """
        import os
        def solve(numbers):
            if os.fork() == 0:
                time.sleep(30)
                os._exit(0)
            burn()
            return squares(numbers)
    """,
    "multiprocessing": """
        import multiprocessing
        def work(n):
            burn(0.01)
            return n * n
        def solve(numbers):
            with multiprocessing.get_context("fork").Pool(2) as pool:
                return sorted(pool.map(work, numbers))
    """,
    "a process and a queue": """
        import multiprocessing
        def work(numbers, queue):
            burn()
            queue.put(squares(numbers))
        def solve(numbers):
            context = multiprocessing.get_context("fork")
            queue = context.Queue()
            process = context.Process(target=work, args=(numbers, queue))
            process.start()
            found = queue.get()
            process.join()
            return found
    """,
    "deep recursion": """
        import sys, threading
        def solve(numbers):
            sys.setrecursionlimit(40_000)
            threading.stack_size(256 << 20)
            found = []
            def down(depth):
                return 0 if depth == 0 else 1 + down(depth - 1)
            def work():
                for _ in range(10): down(20_000)
                found.extend(squares(numbers))
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            return found
    """,
    "recursion to the usual depth": """
        def down(depth):
            return 0 if depth == 0 else 1 + down(depth - 1)
        def solve(numbers):
            for _ in range(2000): down(800)
            return squares(numbers)
    """,
    "a cached recursion": """
        from functools import lru_cache
        def solve(numbers):
            @lru_cache(None)
            def paths(a, b):
                return 1 if 0 in (a, b) else paths(a - 1, b) + paths(a, b - 1)
            for n in range(400): paths(n, n)
            return squares(numbers)
    """,
    "much output": """
        import sys
        def solve(numbers):
            for _ in range(20_000): print("x" * 200)
            print("y" * 10_000_000, file=sys.stderr)
            return squares(numbers)
    """,
    "its streams closed": """
        import os
        def solve(numbers):
            for fd in (0, 1, 2): os.close(fd)
            burn()
            return squares(numbers)
    """,
    "asyncio": """
        import asyncio
        def solve(numbers):
            async def one(n):
                await asyncio.sleep(0.01)
                return n * n
            async def all_of_them():
                return sorted(await asyncio.gather(*map(one, numbers)))
            burn()
            return asyncio.run(all_of_them())
    """,
    "asyncio in threads": """
        import asyncio
        def solve(numbers):
            async def all_of_them():
                await asyncio.gather(*(asyncio.to_thread(burn, 0.05) for _ in range(6)))
                return squares(numbers)
            return asyncio.run(all_of_them())
    """,
    "an asyncio subprocess": """
        import asyncio
        def solve(numbers):
            async def all_of_them():
                await (await asyncio.create_subprocess_exec("true")).wait()
                return squares(numbers)
            burn()
            return asyncio.run(all_of_them())
    """,
    "sleep": """
        def solve(numbers):
            time.sleep(0.9)
            return squares(numbers)
    """,
    "sleep and work": """
        def solve(numbers):
            for _ in range(20):
                time.sleep(0.02)
                burn(0.02)
            return squares(numbers)
    """,
    "a file that is looked for": """
        import os, threading
        def solve(numbers):
            threading.Timer(0.3, lambda: open("ready", "w").close()).start()
            while not os.path.exists("ready"): time.sleep(0.01)
            burn()
            return squares(numbers)
    """,
    "much memory": """
        def solve(numbers):
            held = [bytearray(1 << 20) for _ in range(150)]
            for part in held:
                part[::4096] = b"x" * 256
            return squares(numbers)
    """,
    "many files": """
        import os
        def solve(numbers):
            for n in range(1000):
                with open(f"file-{n}", "w") as file: file.write("x" * 500)
            burn()
            return squares(numbers)
    """,
    "temporary files": """
        import tempfile
        def solve(numbers):
            with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile(dir=folder) as file:
                file.write(b"x" * 1_000_000)
                burn()
                return squares(numbers)
    """,
    "sqlite": """
        import sqlite3
        def solve(numbers):
            with sqlite3.connect(":memory:") as db:
                db.execute("create table t (n integer)")
                db.executemany("insert into t values (?)", [(n,) for n in numbers])
                burn()
                return [row[0] for row in db.execute("select n * n from t order by n * n")]
    """,
    "a memory map": """
        import mmap
        def solve(numbers):
            shared = mmap.mmap(-1, 1 << 20)
            shared[:4] = b"four"
            burn()
            return squares(numbers)
    """,
    "a socket pair": """
        import socket, threading
        def solve(numbers):
            one, other = socket.socketpair()
            threading.Thread(target=lambda: (burn(), other.sendall(repr(squares(numbers)).encode()))).start()
            return eval(one.recv(1 << 16))
    """,
    "a server on loopback": """
        import socket, threading
        def solve(numbers):
            with socket.create_server(("127.0.0.1", 0)) as server:
                def work():
                    with server.accept()[0] as peer:
                        burn()
                        peer.sendall(repr(squares(numbers)).encode())
                threading.Thread(target=work).start()
                with socket.create_connection(server.getsockname()) as peer:
                    return eval(peer.makefile().read())
    """,
    "select": """
        import os, select, threading
        def solve(numbers):
            out, back = os.pipe()
            threading.Timer(0.2, os.write, (back, b"x")).start()
            select.select([out], [], [], 5)
            burn()
            return squares(numbers)
    """,
    "an alarm": """
        import signal
        def solve(numbers):
            rung = []
            signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            while not rung: burn(0.01)
            return squares(numbers)
    """,
    "a virtual alarm": """
        import signal
        def solve(numbers):
            rung = []
            signal.signal(signal.SIGVTALRM, lambda *_: rung.append(1))
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.4)
            while not rung: pass
            return squares(numbers)
    """,
    "generated code": """
        def solve(numbers):
            for n in range(300): exec(compile(f"def f{n}(x):\\n" + "    x += 1\\n" * 100, "made", "exec"), {})
            return squares(numbers)
    """,
    "ctypes": """
        import ctypes
        def solve(numbers):
            libc = ctypes.CDLL(None)
            burn()
            return sorted(libc.abs(n) ** 2 for n in numbers)
    """,
    "decimals": """
        from decimal import Decimal, getcontext
        def solve(numbers):
            getcontext().prec = 2000
            for n in range(1, 300): Decimal(n).sqrt()
            return squares(numbers)
    """,
    "large integers": """
        def solve(numbers):
            found = 1
            for n in range(1, 6000): found *= n
            return squares(numbers)
    """,
    "a regular expression": """
        import re
        def solve(numbers):
            re.fullmatch("(a?){18}a{18}", "a" * 18)
            burn()
            return squares(numbers)
    """,
    "compression": """
        import hashlib, os, zlib
        def solve(numbers):
            data = os.urandom(1 << 20) * 4
            zlib.compress(data, 6)
            hashlib.sha256(data * 4).hexdigest()
            return squares(numbers)
    """,
    "no collector": """
        import gc
        def solve(numbers):
            gc.disable()
            for _ in range(200_000):
                ring = []
                ring.append(ring)
            return squares(numbers)
    """,
    "less than its share": """
        import os
        def solve(numbers):
            os.nice(5)
            burn(0.2)
            return squares(numbers)
    """,
    "one processor": """
        import os
        def solve(numbers):
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
            burn()
            return squares(numbers)
    """,
    "a lazy answer": """
        def solve(numbers):
            for n in squares(numbers):
                burn(0.005)
                yield n
    """,
    "work at import": """
        burn(0.5)
        def solve(numbers):
            return squares(numbers)
    """,
}
UNUSUAL = {name: _BURN + textwrap.dedent(code) for name, code in _KINDS.items()}
"""The sources, by what is unusual about them."""
