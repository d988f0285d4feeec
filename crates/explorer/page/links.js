// Which cells belong together, and walking through them: by pointer or by keyboard.
"use strict";

const links = (() => {
  const picture = document.getElementById("picture");
  const said = document.getElementById("cell");
  const by = document.getElementById("link");
  const hint = said.textContent;
  // Cells by panel: `grids[panel].at[row][column]`, and all cells by what they have in common.
  let grids = [];
  let groups = {};
  let here = null;
  let held = false;

  const key = (cell, what) => {
    const data = cell.dataset;
    switch (what) {
      case "thread": return data.t;
      case "value": return data.t === undefined ? undefined : data.t + "," + data.v;
      case "offset": return data.o;
      case "bank": return data.b;
    }
  };

  function read() {
    grids = [];
    groups = { thread: new Map(), value: new Map(), offset: new Map(), bank: new Map() };
    for (const panel of picture.querySelectorAll(".panel")) {
      const grid = { caption: panel.dataset.caption, at: [], panel };
      labels(panel);
      for (const cell of panel.querySelectorAll("rect[data-r]")) {
        (grid.at[+cell.dataset.r] ??= [])[+cell.dataset.c] = cell;
        for (const what in groups) {
          const name = key(cell, what);
          if (name === undefined) continue;
          const group = groups[what].get(name);
          if (group) group.push(cell); else groups[what].set(name, [cell]);
        }
      }
      grids.push(grid);
    }
    here = null;
    held = false;
    show(null);
  }

  // The labels on their cells, which they follow: `cell.labels`. A panel's cells have one size.
  function labels(panel) {
    const cells = [...panel.querySelectorAll("rect[data-r]")];
    if (!cells.length) return;
    const of = (element, name) => +element.getAttribute(name);
    const [x, y, w, h] = ["x", "y", "width", "height"].map((name) => of(cells[0], name));
    const at = new Map(cells.map((cell) => [cell.dataset.r + "," + cell.dataset.c, cell]));
    for (const label of panel.querySelectorAll("text[class^=on-]")) {
      const [row, column] = [Math.floor((of(label, "y") - y) / h), Math.floor((of(label, "x") - x) / w)];
      const cell = at.get(row + "," + column);
      if (cell) (cell.labels ??= []).push(label);
    }
  }

  // An MMA's picture is three panels: row m of A and column n of B make cell (m,n) of C.
  const isMma = () => grids.length === 3 && grids[0].caption === "B" && grids[1].caption === "A";

  function together(cell) {
    let what = by.value;
    const panel = +cell.parentNode.dataset.panel;
    if (what === "auto") {
      if (isMma() && panel === 2) {
        const row = grids[1].at[+cell.dataset.r] ?? [];
        const column = grids[0].at.map((cells) => cells[+cell.dataset.c]);
        return [cell, ...row, ...column];
      }
      what = cell.dataset.t !== undefined ? "thread" : "offset";
    }
    const name = key(cell, what);
    return name === undefined ? [cell] : groups[what].get(name) ?? [cell];
  }

  function words(cell) {
    const data = cell.dataset;
    const parts = [];
    if (data.k) parts.push("coordinate " + data.k);
    if (data.t !== undefined) {
      const more = data.n ? ` (and ${data.n - 1} more)` : "";
      parts.push(`thread ${data.t}, value ${data.v}${more}`);
    }
    if (data.o !== undefined) parts.push((data.t !== undefined ? "index in the tile " : "offset ") + data.o);
    if (data.b !== undefined) parts.push("bank " + data.b);
    if (data.w) parts.push(data.w);
    const caption = cell.parentNode.dataset.caption;
    const where = grids.length > 1 && caption ? caption.split(":")[0] + ": " : "";
    return where + (parts.join(" · ") || "nothing is here");
  }

  function show(cell) {
    for (const lit of picture.querySelectorAll(".lit, .here, .clear")) lit.classList.remove("lit", "here", "clear");
    picture.classList.toggle("linked", cell !== null);
    here = cell;
    if (!cell) {
      said.textContent = hint;
      return;
    }
    const linked = together(cell);
    for (const other of [cell, ...linked]) {
      if (!other) continue;
      other.classList.add("lit");
      for (const label of other.labels ?? []) label.classList.add("clear");
    }
    cell.classList.add("here");
    const count = linked.length > 1 ? ` · linked: ${linked.length} cells` : "";
    said.textContent = words(cell) + count;
  }

  function walk(rows, columns) {
    if (!here) return show(grids[0]?.at[0]?.[0] ?? null);
    const at = grids[+here.parentNode.dataset.panel].at;
    const row = Math.min(Math.max(+here.dataset.r + rows, 0), at.length - 1);
    const column = Math.min(Math.max(+here.dataset.c + columns, 0), at[row].length - 1);
    show(at[row][column]);
    here.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // Labels lie over their cells, and stay selectable: what is below them counts.
  const cellAt = (event) => event.target.closest?.("rect[data-r]")
    ?? document.elementsFromPoint(event.clientX, event.clientY).find((found) => found.matches("rect[data-r]"));
  picture.addEventListener("pointerover", (event) => {
    const cell = cellAt(event);
    if (!held && cell && cell !== here) show(cell);
  });
  picture.addEventListener("pointerleave", () => { if (!held) show(null); });
  picture.addEventListener("click", (event) => {
    const cell = cellAt(event);
    if (!cell || String(getSelection()).trim()) return;
    held = !(held && cell === here);
    show(cell);
  });
  picture.addEventListener("keydown", (event) => {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (event.ctrlKey || event.altKey || event.metaKey || !grids.length) return;
    if (steps[event.key]) {
      const [rows, columns] = steps[event.key].map((step) => step * (event.shiftKey ? 8 : 1));
      walk(rows, columns);
    } else if (event.key === "PageDown" || event.key === "PageUp") {
      const from = here ? +here.parentNode.dataset.panel : 0;
      const to = grids[(from + (event.key === "PageDown" ? 1 : grids.length - 1)) % grids.length];
      show(to.at[0][0]);
      here.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else if (event.key === "Home" || event.key === "End") {
      walk(0, event.key === "Home" ? -1e9 : 1e9);
    } else if (event.key === "Enter" || event.key === " ") {
      held = !held && here !== null;
    } else if (event.key === "Escape") {
      held = false;
      show(null);
    } else {
      return;
    }
    event.preventDefault();
  });
  by.addEventListener("change", () => show(here));
  return { read };
})();
