// Marks what scrolls if it is wider than the page: tables, pictures, and blocks of code that are
// drawings or columns; other code wraps. A scrolled element fades at each edge beyond which there is
// more (book.css).
"use strict";

(() => {
  const programs = /\blanguage-(rust|toml|python|sh|json)\b/;
  const lines = /[\u2500-\u257f\u25b2-\u25c4]/;
  const columns = (text) => text.split("\n").filter((line) => /\S {2,}\S/.test(line)).length >= 3;
  for (const code of document.querySelectorAll("main pre > code")) {
    const text = code.textContent;
    if (!programs.test(code.className) && (lines.test(text) || columns(text))) code.classList.add("drawing");
  }

  for (const image of document.querySelectorAll("main p > .checkbox-label > img[src$='.svg']")) image.closest("p").classList.add("drawn");

  const scrolled = document.querySelectorAll("main table, main .drawing, main .drawn");
  const edges = (box) => {
    const beyond = { left: box.scrollLeft, right: box.scrollWidth - box.clientWidth - box.scrollLeft };
    for (const [side, pixels] of Object.entries(beyond)) box.style.setProperty("--" + side, pixels > 1 ? "28px" : "0px");
  };
  for (const box of scrolled) {
    edges(box);
    box.addEventListener("scroll", () => edges(box), { passive: true });
  }
  addEventListener("resize", () => scrolled.forEach(edges));
  addEventListener("load", () => scrolled.forEach(edges));
})();
