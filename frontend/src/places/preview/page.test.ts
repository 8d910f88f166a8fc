import { describe, expect, it, vi } from 'vitest';
import { framed } from './page';

// jsdom has no sheets that a script makes.
class Sheet {
  cssRules: CSSRuleList | [] = [];
  replaceSync(css: string) {
    const style = document.createElement('style');
    style.textContent = css;
    document.head.append(style);
    this.cssRules = style.sheet?.cssRules ?? [];
    style.remove();
  }
}

const parse = (html: string) => new DOMParser().parseFromString(framed(html), 'text/html');

describe('a page in a frame', () => {
  it('runs nothing and loads nothing', () => {
    vi.stubGlobal('CSSStyleSheet', Sheet);
    const page =
      parse(`<html><head><base href="https://x.example/"><meta http-equiv="refresh" content="0;url=https://x.example/">
      <link rel="stylesheet" href="https://x.example/a.css"><script>alert(1)</script></head>
      <body onload="alert(2)"><img src="https://x.example/a.png" srcset="b.png 2x" onerror="alert(3)">
      <svg><script>alert(4)</script><image href="https://x.example/c.png"/></svg><iframe src="https://x.example/"></iframe>
      <object data="x"></object><form action="https://x.example/"><input></form>
      <a href="javascript:alert(5)">a</a><a href="https://x.example/">b</a><a href="#end">c</a>
      <p style="background: url(https://x.example/d.png); color: red">text</p></body></html>`);
    const policies = page.querySelectorAll('meta[http-equiv]');
    expect(policies).toHaveLength(1);
    expect(policies[0]?.getAttribute('content')).toContain("default-src 'none'");
    expect(page.querySelector('script, iframe, object, embed, form, input, link, base, style')).toBeNull();
    for (const element of page.querySelectorAll('*')) {
      for (const { name, value } of element.attributes) {
        expect(name).not.toMatch(/^on|srcset/);
        if (name !== 'title' && name !== 'content') expect(value).not.toContain('x.example');
      }
    }
    expect([...page.querySelectorAll('a')].map((a) => a.getAttribute('href'))).toEqual([null, null, '#end']);
  });

  it('keeps what it says, pictures of its own, and its looks', () => {
    vi.stubGlobal('CSSStyleSheet', Sheet);
    const page = parse(`<html lang="de"><style>p { color: green } .b { font-weight: bold }</style>
      <body><p class="b" style="color: red">Grüße</p><img src="data:image/png;base64,AAAA" alt="x"></body></html>`);
    expect(page.documentElement.lang).toBe('de');
    const text = page.querySelector('p');
    expect(text?.textContent).toBe('Grüße');
    expect(text?.getAttribute('style')).toMatch(/green.*bold.*red/); // the last one counts
    expect(page.querySelector('img')?.getAttribute('src')).toBe('data:image/png;base64,AAAA');
  });
});
