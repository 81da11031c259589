"""Answers that never end or are far too large, in order to keep the judge busy or fill its memory.

Each is what a student could hand in for `double(x)`, which should return 2·x for a list of numbers.
"""

__all__ = ["ENDLESS"]

ENDLESS = {
    "lists a hundred thousand deep": """
def double(x):
    deep = []
    for _ in range(100_000): deep = [deep]
    return deep
""",
    "a list in itself": """
def double(x):
    x.append(x)
    return x
""",
    "a generator without end": """
def double(x):
    while True: yield 0
""",
    "a list without end": """
class Endless(list):
    def __iter__(self):
        while True: yield 0
def double(x): return Endless()
""",
    "a dict without end": """
from collections.abc import Mapping
class Endless(Mapping):
    def __getitem__(self, key): return 0
    def __len__(self): return 1
    def __iter__(self):
        i = 0
        while True:
            yield i
            i += 1
def double(x): return Endless()
""",
    "keys that all have one hash": """
def double(x): return {i * (2**61 - 1): 0 for i in range(20_000)}
""",
    "a text of a hundred million letters": """
def double(x): return "x" * 100_000_000
""",
    "an array of a gigabyte": """
import numpy as np
def double(x): return np.zeros(130_000_000)
""",
    "an exception whose text has no end": """
class Long(Exception):
    def __str__(self): return "x" * 200_000_000
def double(x): raise Long
""",
    "a loop that cannot be interrupted": """
import signal
for each in range(1, 32):
    try: signal.signal(each, signal.SIG_IGN)
    except (OSError, ValueError): pass
def double(x):
    while True:
        try:
            while True: pass
        except BaseException: pass
""",
    "a sleep": """
import time
def double(x): time.sleep(10**6)
""",
    "one long call into C": """
def double(x): return 10 ** 10 ** 8
""",
    "a loop outside the function": """
while True: pass
def double(x): return [2 * each for each in x]
""",
    "a set of tuples that all have one hash": """
def double(x): return {(i * (2**61 - 1), (i * (2**61 - 1),)) for i in range(4000)}
""",
    "bytes by the hundred million": """
def double(x): return bytes(10**8)
""",
    "more arrays than there may be": """
import numpy as np
def double(x): return [np.zeros(1)] * 1001
""",
    "a million empty lists": """
def double(x): return [[]] * 10**6
""",
    "ten thousand kinds of things": """
def double(x): return [type(f"Kind{i}", (), {})() for i in range(10_000)]
""",
    "an array of many axes": """
import numpy as np
def double(x): return np.zeros((1,) * 60)
""",
    "a message that comes a byte at a time": """
import os, time
def double(x):
    while True:
        for fd in range(3, 30):
            try: os.write(fd, b"\\x00")
            except OSError: pass
        time.sleep(0.3)
""",
    "a stop of itself": """
import os, signal, time
def double(x):
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(10**6)
""",
}
