/**
 * A page that somebody made, for a frame in which nothing is allowed. The
 * window's policy lets no style sheet into the frame, so the rules of the page
 * are written to the elements they are about; what loads or runs is taken out.
 */
import DOMPurify from 'dompurify';

const POLICY =
  '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; style-src-attr \'unsafe-inline\'">';
const MOST = 5000; // rules; a page with more is shown with these

const STYLE = /<style\b[^>]*>([\s\S]*?)<\/style\s*>/gi;

// The policy stops it, too; then every picture would be a complaint in the log of the browser.
const LOADS = /url\(|image-set\(/i;
const LOADS_ALL = /[\w-]+\s*:[^;]*(?:url|image-set)\([^)]*\)[^;]*;?/gi;

function* rulesOf(sheet: CSSStyleSheet | CSSGroupingRule): Generator<CSSStyleRule> {
  for (const rule of sheet.cssRules) {
    if (rule instanceof CSSStyleRule) yield rule;
    else if (rule instanceof CSSMediaRule && matchMedia(rule.conditionText).matches) yield* rulesOf(rule);
  }
}

/** Writes rules to the elements they are about; what stands at an element counts more. */
function inlineStyles(page: Document, css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const styles = new Map<Element, string>();
  let count = 0;
  for (const rule of rulesOf(sheet)) {
    if (++count > MOST) break;
    try {
      for (const element of page.querySelectorAll(rule.selectorText))
        styles.set(element, `${styles.get(element) ?? ''}${rule.style.cssText};`);
    } catch {
      // About a state, not about an element.
    }
  }
  for (const [element, style] of styles)
    element.setAttribute('style', style + (element.getAttribute('style') ?? ''));
}

/** The text of a document for a frame's srcdoc. */
export function framed(html: string): string {
  let css = '';
  const bare = html.replace(STYLE, (_all, rules: string) => {
    css += `${rules}\n`;
    return '';
  });
  const clean = DOMPurify.sanitize(bare, {
    WHOLE_DOCUMENT: true,
    FORBID_TAGS: [
      'style',
      'link',
      'form',
      'input',
      'button',
      'textarea',
      'select',
      'audio',
      'video',
      'source'
    ],
    FORBID_ATTR: ['srcset', 'background', 'ping'],
    ALLOW_DATA_ATTR: false
  });
  const result = new DOMParser().parseFromString(clean, 'text/html');
  inlineStyles(result, css);
  for (const element of result.querySelectorAll('*')) {
    for (const name of ['href', 'xlink:href', 'src']) {
      const address = element.getAttribute(name);
      if (address === null || address.startsWith('#') || /^data:image\//i.test(address)) continue;
      element.removeAttribute(name);
      if (element.matches('a, area')) element.setAttribute('title', address); // where it would lead
    }
  }
  for (const element of result.querySelectorAll('[style]')) {
    const style = element.getAttribute('style') ?? '';
    if (LOADS.test(style)) element.setAttribute('style', style.replaceAll(LOADS_ALL, ''));
  }
  return `<!doctype html><html lang="${result.documentElement.lang.replace(/[^\w-]/g, '')}"><head><meta charset="utf-8">${POLICY}</head>${result.body.outerHTML}</html>`;
}
