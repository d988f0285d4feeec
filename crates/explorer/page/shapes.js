// The shapes in the expression as boxes: a corner is dragged, or arrow keys change the extents, and the text follows.
"use strict";

const shapes = (() => {
  const strip = document.getElementById("shapes");
  const UNIT = 9;
  const MOST = 4096;
  let change = () => {};

  // The text of an operand with other extents: what is nested keeps its inner extents, compact strides follow.
  function rewritten(text, operand, extents) {
    const [rows, columns] = extents;
    if (operand.order && operand.modes.length === 2) {
      const stride = operand.order === "column" ? `(1,${rows})` : `(${columns},1)`;
      return text.slice(0, operand.start) + `(${rows},${columns}):${stride}` + text.slice(operand.end);
    }
    let out = text;
    const edits = operand.modes.map((mode, i) => [mode, extents[i]]);
    for (const [mode, extent] of edits.reverse()) {
      out = out.slice(0, mode.start) + extent + out.slice(mode.end);
    }
    return out;
  }

  // Pixels of an extent: linear while it is small, so that a corner is where the pointer is.
  const length = (elements) => Math.min(elements * UNIT, 220);

  function draw(text, operands, onChange) {
    change = onChange;
    const focused = strip.contains(document.activeElement)
      ? [...strip.children].indexOf(document.activeElement) : -1;
    strip.replaceChildren(...operands.map((operand, i) => box(text, operand, i)));
    if (focused >= 0) strip.children[focused]?.focus();
  }

  function box(text, operand, index) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "shape";
    button.dataset.operand = index;
    const elements = operand.modes.map((mode) => mode.value * mode.inner);
    const two = elements.length === 2;
    const label = text.slice(operand.start, operand.end);
    button.setAttribute("aria-label",
      `Shape ${label}: arrow keys change it, ${two ? "up and down mode 0, left and right mode 1" : "left and right its extent"}`);
    const words = document.createElement("span");
    words.className = "text";
    words.textContent = label;
    const area = document.createElement("span");
    area.className = "box";
    const size = ([rows, columns]) => {
      const [height, width] = two ? [rows, columns] : [1, rows];
      area.style.height = length(height) + "px";
      area.style.width = length(width) + "px";
      area.style.backgroundSize = `${length(width) / width}px ${length(height) / height}px`;
    };
    size(elements);
    const grip = document.createElement("span");
    grip.className = "grip";
    area.append(grip);
    button.append(words, area);

    const steps = operand.modes.map((mode) => mode.value);
    const apply = (extents) => {
      const clipped = extents.map((extent) => Math.min(Math.max(Math.round(extent), 1), MOST));
      if (clipped.every((extent, i) => extent === steps[i])) return;
      change(rewritten(text, operand, clipped));
    };
    button.addEventListener("keydown", (event) => {
      const row = two ? 0 : -1;
      const column = two ? 1 : 0;
      const move = {
        ArrowUp: [row, -1], ArrowDown: [row, 1], ArrowLeft: [column, -1], ArrowRight: [column, 1],
      }[event.key];
      if (!move || move[0] < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const extents = [...steps];
      if (event.shiftKey) extents[move[0]] = move[1] > 0 ? extents[move[0]] * 2 : extents[move[0]] / 2;
      else extents[move[0]] += move[1];
      apply(extents);
    });
    area.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      button.focus();
      area.setPointerCapture(event.pointerId);
      const from = [event.clientX, event.clientY];
      const bounds = area.getBoundingClientRect();
      const unit = two
        ? [bounds.width / elements[1], bounds.height / elements[0]]
        : [bounds.width / elements[0], 1];
      const target = (now) => {
        const columns = (now.clientX - from[0]) / unit[0];
        const rows = (now.clientY - from[1]) / unit[1];
        const moved = two ? [elements[0] + rows, elements[1] + columns] : [elements[0] + columns];
        return moved.map((count, i) => Math.min(Math.max(Math.round(count / operand.modes[i].inner), 1), MOST));
      };
      const move = (now) => {
        const extents = target(now);
        size(extents.map((extent, i) => extent * operand.modes[i].inner));
        const next = rewritten(text, operand, extents);
        words.textContent = next.slice(operand.start, next.length - (text.length - operand.end));
      };
      const up = (now) => {
        area.removeEventListener("pointermove", move);
        apply(target(now));
      };
      area.addEventListener("pointermove", move);
      area.addEventListener("pointerup", up, { once: true });
    });
    return button;
  }

  return { draw };
})();
