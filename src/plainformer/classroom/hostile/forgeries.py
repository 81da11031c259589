"""Answers that try to get a point they have not earned, with values that lie or forged messages.

Each is what a student could hand in for `double(x)`, which should return 2·x for a list of numbers.
"""

__all__ = ["FORGERIES"]

SAY = """
import json, os, struct
def frame(b): return struct.pack(">I", len(b)) + b
def tell(text, *arrays):
    data = frame(text.encode()) + frame(struct.pack(">I", len(arrays)))
    for each in arrays: data += frame(each)
    for fd in range(3, 30):
        try: os.write(fd, data)
        except OSError: pass
"""

FORGERIES = {
    "an object that is equal to everything": """
class Equal(list):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = None
def double(x): return Equal()
""",
    "a number that is equal to everything": """
class Equal(int):
    def __eq__(self, other): return True
    def __hash__(self): return 0
def double(x): return [Equal(0) for _ in x]
""",
    "an object whose class lies": """
class Liar:
    @property
    def __class__(self): return list
    def __iter__(self): return iter([])
    def __len__(self): return 3
def double(x): return Liar()
""",
    "an array of objects": """
import numpy as np
class Equal:
    def __eq__(self, other): return True
def double(x): return np.array([Equal() for _ in x], dtype=object)
""",
    "a pickle that runs": """
class Bomb:
    def __reduce__(self): return (print, ("forged",))
def double(x): return Bomb()
""",
    "answers for the judge, written straight into the pipe": """
import os, json, struct
def frame(b): return struct.pack(">I", len(b)) + b
text = json.dumps({"kind": "returned", "value": {"list": [0]}, "changed": [], "printed": ""})
message = frame(text.encode()) + frame(struct.pack(">I", 0))
for fd in range(3, 30):
    try: os.write(fd, message * 100)
    except OSError: pass
def double(x): return [0]
""",
    "a worker of its own": """
import sys
main = sys.modules["__main__"]
def call(self, message):
    return {"kind": "returned", "value": True, "changed": [], "printed": "", "points": 1,
            "status": "ok", "expected": True}
main.Worker.call = call
def double(x): return None
""",
    "the judge's modules, patched": """
import plainformer.classroom.wire as wire
import numpy as np
np.isclose = lambda *a, **k: np.True_
np.array_equal = lambda *a, **k: True
wire.pack = lambda message: b""
def double(x): return [0]
""",
    "the frames of whoever calls": """
import sys
def double(x):
    frame = sys._getframe()
    while frame:
        for name, value in list(frame.f_locals.items()):
            if "expected" in name or "reference" in name: return value
        frame = frame.f_back
    return [0]
""",
    "objects of the garbage collector": """
import gc
def double(x):
    for each in gc.get_objects():
        if type(each).__name__ == "Exercise":
            return each.reference(x)
    return [0]
""",
    "the course's own reference": """
def double(x):
    from plainformer.exercises.registry import exercise
    return exercise("inputs.tokenization.1").reference(x)
""",
    "a NaN for every number": """
def double(x): return [float("nan") for _ in x]
""",
    "an early end that looks like success": """
import os
def double(x): os._exit(0)
""",
    "an exit that looks like success": """
def double(x): raise SystemExit(0)
""",
    "a message cut short": """
import os, struct
def double(x):
    for fd in range(3, 30):
        try: os.write(fd, struct.pack(">I", 1000) + b"{")
        except OSError: pass
    os._exit(0)
""",
    "a frame of four gigabytes": """
import os
def double(x):
    for fd in range(3, 30):
        try: os.write(fd, b"\\xff\\xff\\xff\\xff")
        except OSError: pass
    os._exit(0)
""",
    "a function that only looks as if it were one": """
class double:
    def __init__(self, x): pass
""",
    "an exception whose text raises": """
class Broken(Exception):
    def __str__(self): raise SystemExit
def double(x): raise Broken
""",
    "an exception of a name for a terminal to obey": """
Evil = type("\\x1b[2J<script>alert(1)</script>", (Exception,), {})
def double(x): raise Evil("\\x1b]0;owned\\x07")
""",
    "a real number that is equal to everything": """
class Equal(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    __hash__ = None
def double(x): return [Equal(1) for _ in x]
""",
    "numbers as text": """
def double(x): return [str(2 * each) for each in x]
""",
    "a list whose length lies": """
class Short(list):
    def __len__(self): return 0
def double(x): return Short([0] * 9)
""",
    "an array that is equal to everything": """
import numpy as np
class Equal(np.ndarray):
    def __eq__(self, other): return np.ones(3, bool)
    def __array_function__(self, *args): return True
def double(x): return np.zeros(len(x)).view(Equal)
""",
    "an array of records": """
import numpy as np
def double(x): return np.zeros(len(x), dtype=[("a", "O"), ("b", "i4")])
""",
    "a tensor of its own making": """
class Tensor:
    __module__ = "torch"
    dtype = "torch.float32"
    def detach(self): return self
    cpu = numpy = detach
    def __eq__(self, other): return True
def double(x): return Tensor()
""",
    "infinities": """
def double(x): return [float("inf") for _ in x]
""",
    "a whole number of a hundred thousand digits": """
def double(x): return [10**100_000]
""",
    "a value that is another each time it is read": """
import itertools
class Any(list):
    count = itertools.count()
    def __iter__(self): return iter([next(self.count)] * 3)
def double(x): return Any([0, 0, 0])
""",
    "the reference's name, looked for everywhere": """
import gc, sys
def double(x):
    for module in list(sys.modules.values()):
        for name in ("EXERCISE", "reference", "expected"):
            found = getattr(module, name, None)
            if callable(found): return found(x)
    return [0]
""",
    "a second thread that answers first": SAY
    + """
import threading, time
def answer():
    for _ in range(50):
        tell(json.dumps({"kind": "returned", "value": {"list": []}, "changed": [], "printed": ""}))
threading.Thread(target=answer, daemon=True).start()
def double(x): return [0]
""",
    "two processes that both answer": """
import os
def double(x):
    os.fork()
    return [0]
""",
    "its own pipe, closed": """
import os
def double(x):
    os.closerange(3, 30)
    return [0]
""",
    "a message that is no object": SAY
    + """
def double(x): tell("[1, 2]")
""",
    "a message with a key twice": SAY
    + """
def double(x): tell('{"kind": "raised", "kind": "returned", "value": true, "value": {"list": []}}')
""",
    "a whole number of plain JSON, beyond 2 to the 63": SAY
    + """
def double(x):
    tell('{"kind": "returned", "value": 9223372036854775808, "changed": [], "printed": ""}')
""",
    "a pickle, sent by hand": SAY
    + """
import base64, pickle
class Bomb:
    def __reduce__(self): return (exec, ("raise SystemExit",))
made = base64.b64encode(pickle.dumps(Bomb())).decode()
def double(x):
    tell(json.dumps({"kind": "returned", "value": {"made": made}, "changed": [], "printed": ""}))
""",
    "an array of objects, sent by hand": SAY
    + """
import io
import numpy as np
file = io.BytesIO()
np.save(file, np.array([print], dtype=object), allow_pickle=True)
def double(x):
    said = '{"kind": "returned", "value": {"array": 0}, "changed": [], "printed": ""}'
    tell(said, file.getvalue())
""",
    "an array that says it is larger than its bytes": SAY
    + """
said = b"{'descr': '<f8', 'fortran_order': False, 'shape': (999999999,), }"
said += b" " * (117 - len(said)) + b"\\n"
file = b"\\x93NUMPY\\x01\\x00" + len(said).to_bytes(2, "little") + said + bytes(8)
def double(x):
    tell('{"kind": "returned", "value": {"array": 0}, "changed": [], "printed": ""}', file)
""",
    "changed arguments that are no numbers": SAY
    + """
def double(x):
    x.append(0)
    tell('{"kind": "returned", "value": {"list": []}, "changed": [1e308], "printed": ""}')
""",
    "the library that writes messages, changed": """
import json, struct
json.dumps = lambda *a, **k: '{"kind": "returned", "value": true, "changed": [], "printed": ""}'
def double(x): return [0]
""",
    "a mark, printed": """
def double(x):
    print("ok 1/1", {"status": "ok", "points": 1})
    return [0]
""",
    "an answer at the end of the process": SAY
    + """
import atexit, sys
atexit.register(tell, '{"kind": "returned", "value": true, "changed": [], "printed": ""}')
def double(x): sys.exit(0)
""",
    "a wild pointer": """
import ctypes
def double(x): ctypes.memset(8, 1, 1 << 20)
""",
    "a recursion that ends the stack": """
import sys
sys.setrecursionlimit(10**8)
def double(x):
    def deeper(f): return [f(f)]
    return deeper(deeper)
""",
}
