// The page: what is typed is asked, and what is answered is shown. The state is in the address, behind `#`.
"use strict";

(() => {
  const $ = (id) => document.getElementById(id);
  const token = document.querySelector("meta[name=cutlet-token]").content;
  const text = $("text"), echo = $("echo"), picture = $("picture");
  const choices = ["colour", "bits", "access", "theme"];
  const first = "zipped_divide((8,8):(1,8), (4,2))";
  let asked = 0;
  let waiting = null;
  let marked = [];
  // What a law says, where its name does not.
  const meanings = {
    cosize: "one more than the largest offset",
    injective: "no two elements share an offset",
    compact: "the offsets are 0, 1, 2, … without a gap, each once",
    "contiguous from 0": "so many elements, counted in index order, lie one behind another",
    "widest vector": "so many elements at a time are contiguous and aligned along some mode; index order goes along the "
      + "first mode, which need not be that one",
  };

  // Pixels that a picture can be wide.
  const room = () => picture.clientWidth - 8;

  // The smallest letters, in pixels: of a picture that fits with them, and of one that does not.
  const SMALLEST = 7, READABLE = 8;
  // What the reader chose: a scale, "fit" (all of the picture in sight), or null: see `fit`.
  let zoom = null;
  let scale = 1;

  // As large as the window has room for, twice its own size at most. Shrunk where that makes it fit and its labels stay
  // readable; a larger one has the least size at which they are, and is scrolled to its first cells.
  function fit() {
    const svg = picture.querySelector("svg");
    if (!svg) return;
    const [width, height] = ["width", "height"].map((side) => +svg.getAttribute(side));
    const below = innerHeight - (picture.getBoundingClientRect().top + scrollY) - 16;
    const letters = [...svg.querySelectorAll("text")].map((text) => +text.getAttribute("font-size"));
    const smallest = Math.min(...letters);
    const across = room() / width;
    const grown = Math.min(Math.max(1, Math.min(2, below / height)), across);
    if (zoom === "fit") scale = Math.min(across, Math.max(below, 200) / height, 2);
    else scale = zoom ?? (grown < SMALLEST / smallest ? Math.min(1, READABLE / smallest) : grown);
    svg.style.width = width * scale + "px";
    picture.classList.toggle("scrolled", width * scale > room() + 1);
    $("percent").textContent = Math.round(scale * 100) + " %";
    document.querySelector("[data-zoom=fit]").setAttribute("aria-pressed", zoom === "fit");
    edges();
  }
  // Says on which sides the picture goes on beyond its place: there it fades, over so many pixels.
  function edges() {
    const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight, offsetWidth, offsetHeight } = picture;
    const beyond = {
      left: scrollLeft,
      right: scrollWidth - clientWidth - scrollLeft,
      above: scrollTop,
      below: scrollHeight - clientHeight - scrollTop,
    };
    for (const [side, pixels] of Object.entries(beyond)) picture.style.setProperty("--" + side, pixels > 1 ? "28px" : "0px");
    picture.style.setProperty("--bar-right", offsetWidth - clientWidth + "px");
    picture.style.setProperty("--bar-below", offsetHeight - clientHeight + "px");
  }
  picture.addEventListener("scroll", edges, { passive: true });
  // Of a picture larger than its place the first cells are seen; of an MMA's, where A, B and C meet.
  function begin() {
    const panels = picture.querySelectorAll(".panel");
    const meet = panels.length === 3 && panels[0].dataset.caption === "B";
    const cell = (meet ? panels[2] : panels[0])?.querySelector("rect[data-r]");
    if (!cell || !picture.classList.contains("scrolled")) return;
    const [box, at] = [picture.getBoundingClientRect(), cell.getBoundingClientRect()];
    const margin = meet ? [box.width / 2, box.height / 2] : [70, box.height];
    picture.scrollBy(at.left - box.left - margin[0], at.top - box.top - margin[1]);
  }
  // Another size, around the middle of what is in sight.
  function resize(wanted) {
    const middle = [picture.scrollLeft + picture.clientWidth / 2, picture.scrollTop + picture.clientHeight / 2];
    const before = scale;
    zoom = wanted === "fit" ? "fit" : Math.min(Math.max(wanted, 0.05), 8);
    fit();
    const by = scale / before;
    picture.scrollTo(middle[0] * by - picture.clientWidth / 2, middle[1] * by - picture.clientHeight / 2);
  }
  const zooms = { fit: () => "fit", in: () => scale * 1.25, out: () => scale / 1.25 };
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => resize(zooms[button.dataset.zoom]()));
  }
  picture.addEventListener("keydown", (event) => {
    const step = { "+": "in", "=": "in", "-": "out", "0": "fit" }[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    resize(zooms[step]());
  });
  picture.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    resize(scale * Math.exp(-event.deltaY / 300));
  }, { passive: false });

  const question = (more) => ({
    text: text.value,
    theme: $("theme").value,
    colour: $("colour").value,
    bits: +$("bits").value,
    access: +$("access").value,
    width: Math.max(1, Math.floor(room())),
    ...more,
  });

  const post = (path, body) => fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Cutlet-Token": token },
    body: JSON.stringify(body),
  });

  // The address.
  function remember() {
    const state = new URLSearchParams({ e: text.value });
    for (const name of choices) {
      const chosen = $(name);
      if (![...chosen.options].find((option) => option.value === chosen.value).defaultSelected
        && chosen.value !== "auto") state.set(name, chosen.value);
    }
    history.replaceState(null, "", "#" + state);
  }
  function recall() {
    const state = new URLSearchParams(location.hash.slice(1));
    text.value = state.get("e") ?? first;
    for (const name of choices) {
      const wanted = state.get(name);
      const options = [...$(name).options];
      const usual = options.find((option) => option.defaultSelected) ?? options[0];
      $(name).value = (options.find((option) => option.value === wanted) ?? usual).value;
    }
    restyle();
    ask();
  }
  function restyle() {
    const theme = $("theme").value;
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }

  // The text and what is underlined in it: [start, end, class].
  function underline() {
    const value = text.value;
    const parts = [];
    let at = 0;
    for (const [start, end, kind] of marked) {
      if (start < at) continue;
      parts.push(value.slice(at, start));
      const mark = document.createElement(kind === "step" ? "span" : "mark");
      mark.className = kind;
      // What is missing at the end of the text is shown as a space there.
      mark.textContent = value.slice(start, Math.max(end, start + 1)) || "\u00a0";
      parts.push(mark);
      at = Math.max(end, start + 1);
    }
    parts.push(value.slice(at) + "\u200b");
    echo.replaceChildren(...parts);
    text.style.height = "auto";
    text.style.height = text.scrollHeight + 2 + "px";
  }

  function ask() {
    clearTimeout(waiting);
    remember();
    const number = ++asked;
    post("/api/evaluate", question())
      .then(async (reply) => {
        const answer = reply.ok ? await reply.json() : { failure: (await reply.text()).trim() };
        if (number === asked) show(answer);
      })
      .catch(() => {
        if (number === asked) show({ failure: "cutlet explore does not answer: is it still running?" });
      });
  }
  function soon() {
    marked = [];
    underline();
    clearTimeout(waiting);
    waiting = setTimeout(ask, 150);
  }

  const element = (name, kind, words) => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    made.textContent = words;
    return made;
  };

  function show(answer) {
    document.body.dataset.asked = asked;
    const message = $("message");
    message.replaceChildren();
    marked = [];
    if (answer.failure) {
      message.append(element("div", "", answer.failure));
      underline();
      return;
    }
    const { error } = answer;
    if (error) {
      const places = error.mode.length ? error.mode : [[error.start, error.end]];
      marked = places.map(([start, end]) => [start, end, "wrong"]);
      // The line that it is about, with a caret below: as the command line has it.
      const from = places[0][0];
      const begin = from ? text.value.lastIndexOf("\n", from - 1) + 1 : 0;
      const line = text.value.slice(begin).split("\n")[0];
      const carets = [...line + " "].map((_, i) =>
        places.some(([start, end]) => begin + i >= start && begin + i < Math.max(end, start + 1)) ? "^" : " ");
      const pre = document.createElement("pre");
      message.append(pre, element("div", "words", error.message));
      point(pre, [...line], carets);
      if (error.help) message.append(element("div", "help", error.help));
    } else if (answer.no_picture) {
      message.append(element("div", "words", answer.no_picture));
    }
    underline();
    shapes.draw(text.value, answer.operands ?? [], (changed) => {
      text.value = changed;
      ask();
    });
    // While a text is wrong the last picture stays, faded.
    document.body.classList.toggle("stale", Boolean(error));
    if (error && !picture.firstChild) picture.append(element("p", "none", "The picture comes with the first right expression."));
    steps(answer.steps ?? []);
    if (error) return;
    const result = $("result");
    result.replaceChildren();
    if (answer.value !== null) result.append(element("span", "kind", answer.kind), answer.value);
    $("laws").replaceChildren(...answer.laws.flatMap(([name, value]) => [
      element("dt", "", name), law(name, value),
    ]));
    if (answer.svg) {
      // The server's own picture, its text escaped.
      const parsed = new DOMParser().parseFromString(answer.svg, "image/svg+xml").documentElement;
      for (const title of parsed.querySelectorAll("rect > title")) title.remove();
      picture.replaceChildren(document.importNode(parsed, true));
      // A size that was chosen is of one picture; to see all of it is wanted of the next one, too.
      if (zoom !== "fit") zoom = null;
      fit();
      begin();
    } else {
      picture.replaceChildren(element("p", "none", "There is no picture of this value."));
      edges();
    }
    links.read();
  }

  // A line with its carets below. What is longer than its place goes on below them: an end that is
  // cut off may be what is wrong.
  function point(pre, line, carets) {
    const ruler = element("span", "", "0".repeat(50));
    pre.append(ruler);
    const columns = Math.max(Math.floor(pre.clientWidth / (ruler.getBoundingClientRect().width / 50)), 8);
    ruler.remove();
    for (let from = 0; from < carets.length; from += columns) {
      const below = carets.slice(from, from + columns).join("").trimEnd();
      if (from === line.length && !below) break;
      if (from > 0) pre.append("\n");
      pre.append(line.slice(from, from + columns).join(""));
      if (below) pre.append("\n", element("span", "caret", below));
    }
  }

  function law(name, value) {
    const made = element("dd", "", value);
    if (meanings[name]) made.append(element("span", "why", meanings[name]));
    return made;
  }

  function steps(all) {
    $("steps").hidden = all.length === 0;
    $("steps").querySelector("ol").replaceChildren(...all.map((step) => {
      const item = document.createElement("li");
      item.tabIndex = 0;
      item.append(element("code", "", step.title));
      for (const line of step.lines) item.append(element("span", "line", line));
      item.append(element("code", step.refused ? "refused" : "", (step.refused ? "refused: " : "= ") + step.outcome));
      const before = marked;
      const enter = () => { marked = [[step.start, step.end, "step"]]; underline(); };
      const leave = () => { marked = before; underline(); };
      item.addEventListener("pointerenter", enter);
      item.addEventListener("pointerleave", leave);
      item.addEventListener("focus", enter);
      item.addEventListener("blur", leave);
      return item;
    }));
  }

  text.addEventListener("input", soon);
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      ask();
    }
  });
  for (const name of choices) $(name).addEventListener("change", () => { restyle(); ask(); });
  addEventListener("hashchange", recall);
  // Two grids go below each other where they do not fit beside: that is the server's to draw.
  let wide = innerWidth;
  addEventListener("resize", () => {
    fit();
    if (innerWidth !== wide) {
      wide = innerWidth;
      clearTimeout(waiting);
      waiting = setTimeout(ask, 150);
    }
  });
  $("presets").addEventListener("change", (event) => {
    if (!event.target.value) return;
    text.value = event.target.value;
    event.target.selectedIndex = 0;
    ask();
  });
  const done = (words) => {
    $("done").textContent = words;
    setTimeout(() => { if ($("done").textContent === words) $("done").textContent = ""; }, 4000);
  };
  $("share").addEventListener("click", () => {
    remember();
    navigator.clipboard.writeText(location.href)
      .then(() => done("copied"), () => done("copy the address above"));
  });
  for (const button of document.querySelectorAll("[data-format]")) {
    button.addEventListener("click", async () => {
      const format = button.dataset.format;
      const theme = $("theme").value;
      const dark = theme === "dark" || (theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
      // An SVG follows its reader; other formats are as the page is now.
      const reply = await post("/api/draw", question({ format, theme: format === "svg" ? theme : dark ? "dark" : "light" }));
      if (!reply.ok) return done((await reply.text()).split("\n")[0]);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await reply.blob());
      link.download = "layout." + format;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      done("layout." + format);
    });
  }
  fetch("/api/presets").then((reply) => reply.json()).then((presets) => {
    const groups = new Map();
    for (const preset of presets) {
      if (!groups.has(preset.group)) {
        const group = document.createElement("optgroup");
        group.label = preset.group;
        $("presets").append(group);
        groups.set(preset.group, group);
      }
      const option = new Option(preset.name, preset.text);
      groups.get(preset.group).append(option);
    }
  });
  recall();
  text.focus();
})();
