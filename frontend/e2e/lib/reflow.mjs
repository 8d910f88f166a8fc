// Looks for what is lost when everything is shown twice or four times as large: WCAG 2.2, 1.4.4 and 1.4.10.

/**
 * A window of 1280×1024, at 200 % and at 400 %: so many CSS pixels are left of it.
 * @type {readonly { width: number, height: number }[]}
 */
export const ZOOMED = [
  { width: 640, height: 512 },
  { width: 320, height: 256 }
];

/**
 * What does not fit: pages that scroll sideways, what sticks out of the window or of what holds it, and
 * controls on top of each other. Tables, code and pages in frames may scroll on their own (1.4.10, exception).
 * @param {import('playwright-core').Page} page
 * @returns {Promise<string[]>}
 */
export function misfits(page) {
  return page.evaluate(() => {
    const found = new Set();
    const wide = document.documentElement.clientWidth;
    /** @param {Element} e */
    const name = (e) =>
      `<${e.tagName.toLowerCase()} class="${e.getAttribute('class') ?? ''}"> ${(e.textContent ?? '').trim().slice(0, 50)}`;
    const modal = Array.from(document.querySelectorAll('[role=dialog], [role=alertdialog]')).at(-1);
    const root = modal ?? document.body;

    /** Does it scroll sideways on purpose, by keyboard, too? @param {Element | null} e */
    function inScroller(e) {
      for (; e && e !== document.body; e = e.parentElement)
        if (e.matches('[tabindex="0"]') && /auto|scroll/.test(window.getComputedStyle(e).overflowX))
          return true;
      return false;
    }

    for (const e of [document.documentElement, document.querySelector('main'), modal])
      if (e && e.scrollWidth > e.clientWidth + 1)
        found.add(`scrolls sideways, ${e.scrollWidth} in ${e.clientWidth}: ${name(e)}`);

    for (const e of Array.from(root.querySelectorAll('*'))) {
      if (
        e.closest('.sr-only, svg, iframe, [aria-hidden=true]') ||
        !e.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      )
        continue;
      const rect = e.getBoundingClientRect();
      if (rect.width === 0 || rect.height === 0 || inScroller(e)) continue;
      if (rect.right > wide + 1 || rect.left < -1)
        found.add(`sticks out to ${Math.round(rect.left)}…${Math.round(rect.right)}: ${name(e)}`);
      const card = e.parentElement?.closest('.card')?.getBoundingClientRect();
      if (card && (rect.right > card.right + 1 || rect.left < card.left - 1))
        found.add(`sticks out of its card: ${name(e)}`);
      const style = window.getComputedStyle(e);
      if (
        /hidden|clip/.test(style.overflowX) &&
        style.textOverflow !== 'ellipsis' &&
        e.scrollWidth > e.clientWidth + 1
      )
        found.add(`cuts ${e.scrollWidth} to ${e.clientWidth}: ${name(e)}`);
    }

    // Words that are left a letter or two a line.
    for (const e of Array.from(root.querySelectorAll('*'))) {
      if (e.closest('.sr-only, svg, [aria-hidden=true]') || inScroller(e)) continue;
      if (
        !Array.from(e.childNodes).some(
          (node) => node.nodeType === 3 && (node.nodeValue ?? '').trim().length > 6
        )
      )
        continue;
      const { width, height } = e.getBoundingClientRect();
      if (width > 0 && width < 64 && height > 100) found.add(`squeezed to ${Math.round(width)}: ${name(e)}`);
    }

    const controls = Array.from(
      root.querySelectorAll('a[href], button, input, select, textarea, summary')
    ).filter(
      (e) =>
        !e.closest('.sr-only, [aria-hidden=true]') &&
        !e.matches('.sr-only') &&
        e.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    );
    /** The part of it that can be seen: what scrolls cuts it off. @param {Element} e */
    function seen(e) {
      const r = e.getBoundingClientRect();
      let [left, top, right, bottom] = [r.left, r.top, r.right, r.bottom];
      for (let p = e.parentElement; p; p = p.parentElement) {
        if (window.getComputedStyle(p).overflowY === 'visible') continue;
        const b = p.getBoundingClientRect();
        [left, top, right, bottom] = [
          Math.max(left, b.left),
          Math.max(top, b.top),
          Math.min(right, b.right),
          Math.min(bottom, b.bottom)
        ];
      }
      return { left, top, right, bottom };
    }
    /** What stays in sight while the rest scrolls lies over it. @param {Element | null} e */
    function layer(e) {
      for (; e; e = e.parentElement) if (/sticky|fixed/.test(window.getComputedStyle(e).position)) return e;
      return null;
    }
    const layers = controls.map(layer);
    const rects = controls.map(seen);
    for (const [i, a] of controls.entries()) {
      for (const [j, b] of controls.entries()) {
        if (j <= i || layers[i] !== layers[j] || a.contains(b) || b.contains(a)) continue;
        const [p, q] = [rects[i], rects[j]];
        const x = Math.min(p.right, q.right) - Math.max(p.left, q.left);
        const y = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
        // A button in the end of a field is there on purpose.
        const inside = a.matches('input') && a.parentElement === b.parentElement;
        if (x > 2 && y > 2 && !inside) found.add(`lies on another: ${name(a)} and ${name(b)}`);
      }
    }
    return [...found];
  });
}
