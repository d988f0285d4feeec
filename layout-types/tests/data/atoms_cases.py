"""Writes the type-level cases and trimmed records for tests/atoms_tiled_mma.rs and tests/atoms_tiled_copy.rs.

Usage: python3 atoms_cases.py RECORDS.jsonl [--all], in this folder; RECORDS is what CuTe C++ printed. A case names the types
of a configuration; the records say what CuTe made of it. Of the 311 tiled copies, which take minutes to compile, as many are
kept as show each instruction with each way of making a copy, each tiled MMA and each layout of threads and values once;
`--all` keeps all.
"""

import collections
import json
import re
import sys

ATOM = lambda name: name.replace("SM", "Sm", 1)
ELEMENTS = {"half_t": "half::f16", "float": "f32", "tfloat32_t": "TFloat32", "int8_t": "i8"}


def copy_op(name):
    name = re.sub(r"uint(\d+)_t", r"u\1", name)
    return ATOM(name)


def tile(text):
    """`(32,(2,4,4):(1,8,2),16)` or `none` as a `tile!`."""
    return "tile!(_, _, _)" if text == "none" else "tile!" + text


def mma_type(text):
    name, atoms, perm = re.fullmatch(r"(\S+) atoms=(\S+)(?: perm=(.*))?", text).groups()
    name = re.sub(r"_KK$", "", name)
    return f"TiledMma<{ATOM(name)}, layout!({atoms}), {tile(perm or 'none')}>"


def copy_type(cfg):
    kind, rest = cfg.split(" ", 1)
    op, rest = rest.split("/", 1)
    element, rest = rest.split(" ", 1)
    head = f"{copy_op(op)}, {ELEMENTS[element]}"
    if kind == "make_tiled_copy":
        thr, val = re.fullmatch(r"thr=(\S+) val=(\S+)", rest).groups()
        return f"MakeTiledCopy<{head}, layout!({thr}), layout!({val})>"
    make = {"A": "MakeTiledCopyA", "B": "MakeTiledCopyB", "C": "MakeTiledCopyC", "C_atom": "MakeTiledCopyCAtom"}
    mma = mma_type(re.fullmatch(r"mma=(.*)", rest).group(1))
    return f"{make[kind.removeprefix('make_tiled_copy_')]}<{head}, {mma}>"


def trimmed(record):
    keep = {name: record[name] for name in ("what", "cfg", "in", "out", "starts") if name in record}
    return json.dumps(keep, separators=(",", ":"))


def features(cfg):
    """What a tiled copy shows: its parts, and the pairs that matter."""
    kind, rest = cfg.split(" ", 1)
    op, where = rest.split(" ", 1)
    return {(kind, op), where}


def main():
    shown = set()
    configs = collections.OrderedDict()
    for line in open(sys.argv[1]):
        record = json.loads(line)
        if record["what"].startswith(("tiledmma.", "tiledcopy.")):
            configs.setdefault(record["cfg"], []).append(record)
    mma_cases, copy_cases = [], []
    mma_records, copy_records = [], []
    for cfg, records in configs.items():
        inputs = collections.OrderedDict()
        for record in records:
            for value in record["in"].values():
                what = record["what"].split(".")[1]
                inputs.setdefault(what, collections.OrderedDict())[value] = None
        if "tiledmma.thr_layout_vmnk" in {record["what"] for record in records}:
            mma_records += records
            lists = [", ".join(f"[{x}]" for x in inputs.get(f"thrfrg_{op}", {})) for op in "ABC"]
            mma_cases.append(f'tiled_mma! {{ "{cfg}", {mma_type(cfg)}, A {lists[0]}; B {lists[1]}; C {lists[2]} }}')
        elif "--all" in sys.argv or not features(cfg) <= shown:
            shown |= features(cfg)
            copy_records += records
            lists = []
            for what in ("tidfrg_S", "tidfrg_D", "partition_S", "partition_D", "retile_S", "retile_D"):
                lists.append(what + "".join(f" [{x}]" for x in inputs.get(what, {})))
            copy_cases.append(f'    tiled_copy! {{ "{cfg}", {copy_type(cfg)}, {"; ".join(lists)} }}')
    for name, cases, records in (("mma", mma_cases, mma_records), ("copy", copy_cases, copy_records)):
        with open(f"atoms_tiled_{name}.jsonl", "w") as out:
            out.writelines(trimmed(record) + "\n" for record in records)
        with open(f"atoms_tiled_{name}.rs", "w") as out:
            out.write("// Written by atoms_cases.py.\nfn cases() -> Vec<Case> {\n    let mut cases = Vec::new();\n")
            for case in cases:
                out.write(f"    cases.extend({case.strip()});\n")
            out.write("    cases\n}\n")


main()
