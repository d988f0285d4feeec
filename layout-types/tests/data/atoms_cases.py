"""Writes the type-level cases and trimmed records for tests/atoms_tiled_mma.rs, atoms_tiled_copy.rs and
atoms_tiled_copy_mma.rs.

Usage: python3 atoms_cases.py RECORDS.jsonl, in this folder; RECORDS is what CuTe C++ printed. A case names the types of a
configuration; the records say what CuTe made of it.
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


def main():
    configs = collections.OrderedDict()
    for line in open(sys.argv[1]):
        record = json.loads(line)
        if record["what"].startswith(("tiledmma.", "tiledcopy.")):
            configs.setdefault(record["cfg"], []).append(record)
    mma_cases, copy_cases, copy_mma_cases = [], [], []
    mma_records, copy_records, copy_mma_records = [], [], []
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
        else:
            by_mma = " mma=" in cfg
            (copy_mma_records if by_mma else copy_records).extend(records)
            lists = []
            for what in ("tidfrg_S", "tidfrg_D", "partition_S", "partition_D", "retile_S", "retile_D"):
                lists.append(what + "".join(f" [{x}]" for x in inputs.get(what, {})))
            (copy_mma_cases if by_mma else copy_cases).append(f'    tiled_copy! {{ "{cfg}", {copy_type(cfg)}, {"; ".join(lists)} }}')
    files = (
        ("mma", mma_cases, mma_records),
        ("copy", copy_cases, copy_records),
        ("copy_mma", copy_mma_cases, copy_mma_records),
    )
    for name, cases, records in files:
        with open(f"atoms_tiled_{name}.jsonl", "w") as out:
            out.writelines(trimmed(record) + "\n" for record in records)
        with open(f"atoms_tiled_{name}.rs", "w") as out:
            out.write("// Written by atoms_cases.py.\nconst CONFIGS: &[Config] = &[\n")
            for number, case in enumerate(cases):
                # A quarter is compiled on each push.
                if number % 4:
                    out.write('    #[cfg(feature = "all-cases")]\n')
                out.write(f"    {case.strip()},\n")
            out.write("];\n")


main()
