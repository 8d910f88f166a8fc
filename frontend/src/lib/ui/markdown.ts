/**
 * Markdown of a model, as nodes that are safe to show. Nothing is loaded from
 * anywhere: pictures of other places become links. A file of its own, so that
 * a window without a conversation does not load it.
 */
import DOMPurify, { type Config } from 'dompurify';
import { Marked } from 'marked';

const CONFIG: Config & { RETURN_DOM_FRAGMENT: true } = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'h3', 'h4', 'h5', 'blockquote', 'pre', 'code', 'em', 'strong', 'del', 'sub', 'sup'],
    ...['ul', 'ol', 'li', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'a', 'img', 'kbd']
  ],
  ALLOWED_ATTR: ['href', 'src', 'alt', 'start'],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true
};
const OWN_PICTURE = /^data:image\/(?:png|jpeg|gif|webp);base64,/i;

const escape = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const marked = new Marked({
  gfm: true,
  async: false,
  renderer: {
    // The place has its own headings above these.
    heading({ tokens, depth }) {
      const level = depth <= 2 ? 3 : depth === 3 ? 4 : 5;
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    image({ href, text }) {
      const words = escape(text || href);
      return OWN_PICTURE.test(href)
        ? `<img src="${escape(href)}" alt="${words}">`
        : `<a href="${escape(href)}">${words}</a>`;
    },
    // A box that nobody can tick is a sign.
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ ')
  }
});

const purify = DOMPurify(window);
purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName === 'IMG' && !OWN_PICTURE.test(node.getAttribute('src') ?? '')) node.remove();
  if (node.tagName !== 'A') return;
  const address = node.getAttribute('href');
  if (!address) return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer');
  node.setAttribute('title', address); // where it leads, whatever its words say
});

export function render(text: string): DocumentFragment {
  const shown = purify.sanitize(marked.parse(text) as string, CONFIG);
  // Headings go down one level at a time, whatever the text begins with.
  let last = 2;
  for (const heading of shown.querySelectorAll('h3, h4, h5')) {
    const level = Math.min(Number(heading.tagName[1]), last + 1);
    last = level;
    const right = document.createElement(`h${level}`);
    right.append(...heading.childNodes);
    heading.replaceWith(right);
  }
  return shown;
}
