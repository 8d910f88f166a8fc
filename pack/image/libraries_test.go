//go:build (vm || long) && linux

package image_test

// missingLibraries is a script for the guest: it prints every program and
// library that needs a library (DT_NEEDED, elf(5)) which is nowhere below /usr or
// /opt. Packages that are left out on purpose must not leave such gaps. Plug-ins
// in directories of their own may: who loads them then goes without.
const missingLibraries = `python3 - <<'P'
import os, struct
files, names = [], set()
for top in ("/usr", "/opt"):
    for d, _, fs in os.walk(top):
        for f in fs:
            p = os.path.join(d, f)
            if ".so" in f: names.add(f)
            public = d.endswith("bin") or d.startswith("/opt") or d.endswith("-linux-gnu")
            if not os.path.islink(p) and public: files.append(p)
def needed(p):
    with open(p, "rb") as f:
        h = f.read(64)
        if h[:5] != b"\x7fELF\x02": return
        off, size, n = struct.unpack_from("<Q", h, 32)[0], *struct.unpack_from("<HH", h, 54)
        f.seek(off)
        table, loads, dynamic = f.read(size * n), [], None
        for i in range(n):
            kind, _, at, addr, _, length = struct.unpack_from("<IIQQQQ", table, i * size)
            if kind == 1: loads.append((addr, at, length))
            if kind == 2: dynamic = (at, length)
        if not dynamic: return
        f.seek(dynamic[0])
        data = f.read(dynamic[1])
        tags = [struct.unpack_from("<QQ", data, i) for i in range(0, len(data) - 15, 16)]
        strings = next((v for t, v in tags if t == 5), None)
        if strings is None: return
        at = next(o + strings - a for a, o, l in loads if a <= strings < a + l)
        for t, v in tags:
            if t == 0: break
            if t == 1:
                f.seek(at + v)
                yield f.read(256).split(b"\0")[0].decode()
for p in files:
    for n in needed(p):
        if n not in names: print(p, "needs", n)
P`
