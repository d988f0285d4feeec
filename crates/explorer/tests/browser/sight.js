// What a script in a page finds that cannot be seen or read: lists of sentences, empty where all
// is well.
const sight = (() => {
  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = (colour) => colour.slice(0, 3)
    .map((part) => part / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const between = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };
  // A colour over another, as opaque as `share`.
  const over = (above, below, share) => below.map((part, i) => above[i] * share + part * (1 - share));
  const alpha = (colour) => channels(colour)[3] ?? 1;
  const fill = (element) => getComputedStyle(element).fill;
  const ancestors = (element) => element ? [element, ...ancestors(element.parentElement)] : [];

  // What is behind an element's text: the backgrounds of all that it is in, on white.
  const behind = (element) => ancestors(element).reverse().reduce((below, at) => {
    const colour = getComputedStyle(at).backgroundColor;
    return over(channels(colour), below, alpha(colour) * getComputedStyle(at).opacity);
  }, [255, 255, 255]);
  const ink = (element) => {
    const colour = getComputedStyle(element).color;
    const share = ancestors(element).reduce((share, at) => share * getComputedStyle(at).opacity, alpha(colour));
    return over(channels(colour), behind(element), share);
  };
  const name = (element) =>
    `${element.localName}${element.id && "#" + element.id}${[...element.classList].map((name) => "." + name).join("")}`
    + ` ${element.textContent.trim().slice(0, 40)}`;

  // Elements that have text of their own and are in sight. A drawing's text has its own laws; what
  // is hidden from a screen reader is a text's double.
  const texts = (root) => [...document.querySelectorAll(`${root}, ${root} *`)].filter((element) => {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const box = element.getBoundingClientRect();
    return own && !element.closest("svg, script, style, option, [aria-hidden=true]") && box.width > 1 && box.right > 0;
  });

  return {
    fill,
    // The contrast of two colours by WCAG 2.
    contrast: (a, b) => between(channels(a), channels(b)),
    // Texts below a contrast of 3 with what is behind them.
    faint: (root) => texts(root)
      .map((element) => [element, between(ink(element), behind(element))])
      .filter(([, found]) => found < 3)
      .map(([element, found]) => `faint, ${found.toFixed(2)}: ${name(element)}`),
    // Texts, code and pictures that end at an edge. What `scrolled` selects may go on beyond it.
    cut: (root, scrolled) => [...texts(root), ...document.querySelectorAll(`${root} pre, ${root} img`)]
      // A span of code may have spaces beyond the edge, before the next line.
      .filter((element) => !element.closest(scrolled) && !element.closest("pre span"))
      .filter((element) => {
        const { left, right } = element.getBoundingClientRect();
        const hidden = getComputedStyle(element).overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1;
        return hidden || left < 0 || right > innerWidth + 1;
      })
      .map((element) => `cut: ${name(element)}`),
    // Texts nearer to the window's edge than so many pixels.
    flush: (root, scrolled, margin) => texts(root)
      .filter((element) => !element.closest(scrolled))
      .filter((element) => {
        const { left, right } = element.getBoundingClientRect();
        return left < margin || right > innerWidth - margin;
      })
      .map((element) => `at the edge: ${name(element)}`),
    // Drawings in text whose lines are broken: they are higher than their lines together.
    wrapped: (root) => [...document.querySelectorAll(`${root} pre > code`)]
      .filter((code) => /[\u2500-\u257f]/.test(code.textContent))
      .filter((code) => {
        const { lineHeight, fontSize, paddingTop, paddingBottom } = getComputedStyle(code);
        const line = parseFloat(lineHeight) || 1.2 * parseFloat(fontSize);
        const lines = code.textContent.trimEnd().split("\n").length;
        return code.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom) > (lines + 0.9) * line;
      })
      .map((code) => `wrapped: ${name(code)}`),
    // Lines of an example that only the compiler needs: mdBook's own script hides them.
    stray: (root) => [...document.querySelectorAll(`${root} .boring`)].filter((line) => line.getClientRects().length > 0)
      .map((line) => `in sight: ${name(line)}`),
    // Pictures without a picture.
    missing: (root) => [...document.querySelectorAll(`${root} img`)].filter((image) => image.naturalWidth === 0)
      .map((image) => `missing: ${image.src}`),
    // Drawings in sight at less than 7 tenths of their size, at which their letters have 10 pixels.
    shrunk: (root) => [...document.querySelectorAll(`${root} img[src$=".svg"]`)]
      .filter((image) => image.getClientRects().length > 0 && image.getBoundingClientRect().width < 0.7 * image.naturalWidth)
      .map((image) => `shrunk: ${image.src}`),
    // A page that is wider than its window.
    wide: () => document.documentElement.scrollWidth > innerWidth ? [`wide: ${document.documentElement.scrollWidth}`] : [],
  };
})();
