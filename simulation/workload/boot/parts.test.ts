import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseCloudConfig, writeFiles } from './cloud-config.ts';
import { renderTemplate } from './jinja.ts';
import { mimeParts } from './mime.ts';
import { parseCommands } from './shell.ts';

const data = {
  ds: { meta_data: { local_hostname: 'ip-10-0-0-1.ec2.internal', 'local-ipv4': '10.0.0.1' } },
  v1: { region: 'us-east-1' },
};

describe('a Jinja template', () => {
  it.each([
    {
      rule: 'inserts instance data',
      text: 'a {{ ds.meta_data.local_hostname }} b',
      is: 'a ip-10-0-0-1.ec2.internal b',
    },
    { rule: 'reads names in brackets', text: "{{ ds.meta_data['local-ipv4'] }}", is: '10.0.0.1' },
    { rule: 'takes blanks around the mark', text: '{{ v1.region }}', mark: '##  template:jinja ', is: 'us-east-1' },
    { rule: 'marks missing values', text: '{{ v1.nope }}', is: 'CI_MISSING_JINJA_VAR/nope' },
    {
      rule: 'applies filters',
      text: "{{ v1.nope | default('x') | upper }}{{ v1.region | replace('-', '_') }}",
      is: 'Xus_east_1',
    },
    { rule: 'drops comments and keeps raw text', text: '{# gone #}{% raw %}{{ kept }}{% endraw %}', is: '{{ kept }}' },
    { rule: 'evaluates conditions', text: "{% if v1.region == 'us-east-1' %}a{% else %}b{% endif %}", is: 'a' },
  ])('$rule', ({ text, mark = '## template: jinja', is }) => expect(renderTemplate(`${mark}\n${text}`, data)).toBe(is));

  it.each([
    '{% for x in y %}{% endfor %}',
    '{% if v1.region %}',
    '{{ v1.region | nonsense }}',
    '{{ a b }}',
    '{{ nope.region }}',
    '{{ v1.nope.region }}',
    "{{ nope.region | default('x') }}",
  ])('refuses %s', (text) => expect(() => renderTemplate(text, data)).toThrow());
});

it('a hyphen in a Jinja template subtracts', () => {
  const render = () => renderTemplate('## template: jinja\n{{ ds.meta_data.local-ipv4 }}', data);
  expect(render).toThrow(
    'Undefined jinja variable: "local-ipv4". Jinja tried subtraction. Perhaps you meant "local_ipv4"?',
  );
});

describe('a command line', () => {
  it.each([
    {
      rule: 'splits words at quotes',
      line: `echo 'a b' "c d" e\\ f`,
      is: [{ words: ['echo', 'a b', 'c d', 'e f'], after: 'always' }],
    },
    {
      rule: 'chains commands',
      line: 'a && b || c; d',
      is: [
        { words: ['a'], after: 'always' },
        { words: ['b'], after: 'success' },
        { words: ['c'], after: 'failure' },
        { words: ['d'], after: 'always' },
      ],
    },
    {
      rule: 'redirects output',
      line: 'echo x > /f 2>&1',
      is: [{ words: ['echo', 'x'], after: 'always', redirect: { path: '/f', append: false } }],
    },
    {
      rule: 'appends output',
      line: 'echo x>>/f',
      is: [{ words: ['echo', 'x'], after: 'always', redirect: { path: '/f', append: true } }],
    },
    {
      rule: 'drops comments',
      line: 'a # b && c\nd',
      is: [
        { words: ['a'], after: 'always' },
        { words: ['d'], after: 'always' },
      ],
    },
  ])('$rule', ({ line, is }) => expect(parseCommands(line)).toEqual(is));
});

describe('the write_files of a cloud-config', () => {
  const files = (entries: string) => writeFiles(parseCloudConfig(`#cloud-config\nwrite_files:\n${entries}`, data));
  it.each([
    {
      rule: 'base64 content',
      entry: `- {path: /f, encoding: b64, content: ${Buffer.from('text').toString('base64')}}`,
    },
    {
      rule: 'compressed base64 content',
      entry: `- {path: /f, encoding: gzip+base64, content: ${gzipSync('text').toString('base64')}}`,
    },
    { rule: 'plain content', entry: '- {path: /f, content: text}' },
    { rule: 'appended content', entry: '- {path: /f, content: te}\n- {path: /f, content: xt, append: true}' },
    { rule: 'deferred content', entry: '- {path: /f, content: text, defer: true}\n- {path: /f, content: early}' },
  ])('are written: $rule', ({ entry }) => expect(files(entry).get('/f')).toBe('text'));

  it.each([
    '- {content: x}',
    '- {path: /f, content: "%", encoding: base64}',
    '- {path: /f, permissions: 0640, content: x}',
    '- {path: /f, path: /g}',
  ])('are refused: %s', (entry) => expect(() => files(entry)).toThrow());
});

describe('a MIME multipart message', () => {
  it('yields its leaves in order, nested ones included', () => {
    const text =
      'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="a"\r\n\r\npreamble\r\n--a\r\nContent-Type: text/x-one; charset="us-ascii"\r\n\r\none\r\n--a\r\nContent-Type: multipart/mixed;\r\n boundary=b\r\n\r\n--b\r\nContent-Type: text/two\r\nContent-Transfer-Encoding: base64\r\n\r\ndHdv\r\n--b--\r\n--a--\r\n';
    expect(mimeParts(text)).toEqual([
      { type: 'text/x-one', body: 'one' },
      { type: 'text/two', body: 'two' },
    ]);
  });
});
