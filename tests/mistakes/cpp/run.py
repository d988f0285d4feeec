#!/usr/bin/env python3
"""What CuTe C++ says of the catalogue's mistakes: compiles this folder's programs, runs them, and writes results.json.

usage: run.py compile CUTLASS_INCLUDE [FLAG...]     of each mistake alone, `nvcc -ptx`: whether it compiles, the first error, the lines
       run.py build CUTLASS_INCLUDE [FLAG...]       all twins as one program, and all mistakes that compile: build/twins, build/mistakes
       run.py run                                   each by name, plain and under each tool of compute-sanitizer; needs a GPU of
                                                    compute capability 9.0, and no compiler

FLAGs go to nvcc. A program of another architecture says so in its first line, `// nvcc of the mistake: -arch=...`, and its mistake is built
alone. ONLY=NAME,NAME are the programs that are built and run. A plain run is ended after 5 s (a hang), one under a tool after 20 s. results.json is written after each program, so
that what was found stays where a later one takes too long.
"""
import concurrent.futures, json, os, pathlib, re, subprocess, sys, threading

here = pathlib.Path(__file__).resolve().parent
build = pathlib.Path(os.environ.get("BUILD", here / "build"))
results = pathlib.Path(os.environ.get("OUT", here)) / "results.json"
only = os.environ.get("ONLY")
names = sorted(only.split(",") if only else (file.stem for file in here.glob("*.cu")))
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
NVCC = ["nvcc", "-std=c++17", "--expt-relaxed-constexpr", "-lineinfo"]
ARCH = "-arch=sm_90a"
# Kernels and `main`s that several programs include as their own text.
OWN = ["written_product.cuh", "tensor_map.cuh"]
lock = threading.Lock()


def read():
    kept = here / "results.json"
    return json.loads((results if results.exists() else kept).read_text()) if results.exists() or kept.exists() else {"programs": {}}


def write(name, record):
    with lock:
        found["programs"].setdefault(name, {}).update(record)
        results.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


def call(command, seconds):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, errors="replace")
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired as late:
        return 124, (late.stdout or b"").decode(errors="replace")
    except FileNotFoundError as missing:
        return 127, str(missing)


def short(line):
    """A message without the folder of its file."""
    return re.sub(r"(/\S*/)+(?=[\w.+-]+\.\w+)", "", line).strip()


def arch_of(name):
    """The architecture of the mistake."""
    found = re.match(r"// nvcc of the mistake: (-arch=\S+)", (here / f"{name}.cu").read_text())
    return found[1] if found else ARCH


def compile(name, flags):
    code, text = call(NVCC + [arch_of(name)] + flags + ["-DMISTAKE", "-ptx", str(here / f"{name}.cu"), "-o", str(build / f"{name}.ptx")], 300)
    if code == 0:
        # What only the assembler sees.
        code, more = call(["ptxas", arch_of(name), str(build / f"{name}.ptx"), "-o", os.devnull], 100)
        text += more
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\berror\b|\bfatal\b", line)]
    warnings = [line for line in lines if "warning" in line.lower() or "Potential Performance Loss" in line]
    record = {"compiles": code == 0, "lines": len(lines)}
    record["first"] = short((errors + warnings + [""])[0])
    # From 1: where the user's own file is named first.
    own = [f"{name}.cu", *OWN]
    record["own_line"] = next((i for i, line in enumerate(lines, 1) if any(file in line for file in own)), 0)
    return record


def together(program, which, flags, arch=ARCH):
    """One program of many files, each in a namespace, run by name."""
    text = ['#include "product.cuh"', "#include <cstring>"]
    # Outside of the namespaces.
    text += sorted({line for name in which for line in (here / f"{name}.cu").read_text().splitlines() if line.startswith("#include <")})
    text += [f"namespace {name}_ {{\n#define main run\n#include \"{name}.cu\"\n#undef main\n}}" for name in which]
    text += ["int main(int count, char** arguments) {", "  if (count < 2) return 2;"]
    text += [f'  if (!std::strcmp(arguments[1], "{name}")) return {name}_::run();' for name in which]
    text += ["  return 2;", "}"]
    source = build / f"{program}.cu"
    source.write_text("\n".join(text) + "\n")
    code, said = call(NVCC + [arch] + flags + [f"-I{here}", str(source), "-o", str(build / program), "-lcuda"], 1200)
    print(program, "built" if code == 0 else said[-3000:])


def plain(program, name):
    code, text = call([str(build / program), name], 5)
    lines = [line for line in text.splitlines() if line.startswith(("right", "wrong", "error"))]
    others = [line for line in text.splitlines() if "ssert" in line or "ailed" in line or "rror" in line]
    # An assertion's line has the whole type of its function.
    said = re.sub(r"^.*?([\w.]+:\d+): .*Assertion `(.*)' failed.*$", r"\1: assertion failed: \2", (lines or others or [f"exit status {code}"])[0])
    return "hangs" if code == 124 else short(said)


# Lines of compute-sanitizer about the run itself: a program that finds its numbers wrong ends with an error.
OF_THE_RUN = ["COMPUTE-SANITIZER", "SUMMARY", "Target application", "terminate successfully"]


def checked(program, name, tool):
    code, text = call(["compute-sanitizer", "--tool", tool, "--print-limit", "2", str(build / program), name], 20)
    lines = [line.strip("= ").strip() for line in text.splitlines() if line.startswith("=========")]
    said = [line for line in lines if line and not any(of in line for of in OF_THE_RUN)]
    return short(said[0] if said else "")


def run(name):
    write(name, {"twin": plain("twins", name)})
    if found["programs"][name].get("compiles"):
        program = "mistakes" if arch_of(name) == ARCH else f"mistakes-{name}"
        write(name, {"plain": plain(program, name)})
        write(name, {"tools": {tool: checked(program, name, tool) for tool in TOOLS}})


def main():
    verb, flags = sys.argv[1], [f"-I{sys.argv[2]}"] + sys.argv[3:] if len(sys.argv) > 2 else []
    build.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        if verb == "compile":
            found["nvcc"] = next((line for line in call(["nvcc", "--version"], 20)[1].splitlines() if "release" in line), "")
            list(pool.map(lambda name: write(name, compile(name, flags)), names))
        elif verb == "build":
            compiling = [name for name in names if found["programs"][name]["compiles"]]
            pool.submit(together, "twins", names, flags)
            pool.submit(together, "mistakes", [name for name in compiling if arch_of(name) == ARCH], flags + ["-DMISTAKE"])
            for name in compiling:
                if arch_of(name) != ARCH:
                    pool.submit(together, f"mistakes-{name}", [name], flags + ["-DMISTAKE"], arch_of(name))
        else:
            found["gpu"] = call(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], 20)[1].strip()
            version = call(["compute-sanitizer", "--version"], 20)[1]
            found["sanitizer"] = next((line.split()[1] for line in version.splitlines() if line.startswith("Version ")), "")
            # Those that hang last.
            hanging = [name for name in names if name.startswith(("tma_", "mbarrier_", "hopper_registers", "barrier_"))]
            list(pool.map(run, [name for name in names if name not in hanging] + hanging))
            wrong = {name: record["twin"] for name, record in found["programs"].items() if record.get("twin") != "right"}
            print("twins that are not right:", wrong)


found = read()
if __name__ == "__main__":
    main()
