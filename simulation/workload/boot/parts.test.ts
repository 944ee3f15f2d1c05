import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { commandsOf, hideMounted, merged, parseCloudConfig, writeFiles } from './cloud-config.ts';
import { isMime, mimeParts } from './mime.ts';
import { parseCommands } from './shell.ts';

const data = {
  ds: { meta_data: { local_hostname: 'ip-10-0-0-1.ec2.internal', 'local-ipv4': '10.0.0.1' } },
  v1: { region: 'us-east-1' },
};

const parsed = (text: string) => parseCloudConfig(text, data);

describe('a cloud-config', () => {
  it.each([
    {
      rule: 'is rendered as a template',
      text: '## template: jinja\n#cloud-config\na: {{ v1.region }}',
      a: 'us-east-1',
    },
    {
      rule: 'may have blanks around the mark',
      text: '##  template:jinja \n#cloud-config\na: {{ v1.region }}',
      a: 'us-east-1',
    },
    { rule: 'is no template without the mark', text: "#cloud-config\na: '{{ v1.region }}'", a: '{{ v1.region }}' },
    { rule: 'takes the last of two keys', text: '#cloud-config\na: 1\na: 2', a: 2 },
  ])('$rule', ({ text, a }) => expect(parsed(text)).toEqual({ a }));

  it.each([
    '## template: jinja2\n#cloud-config\n',
    '## template: jinja\n#cloud-config\n{{ a b }}',
    '#cloud-config\n- a',
    '#cloud-config\na: [',
    'a: 1',
  ])('is dropped: %j', (text) => expect(() => parsed(text)).toThrow());

  it('of a later part replaces the keys of an earlier one', () =>
    expect(merged([{ runcmd: ['a'], users: [] }, { runcmd: ['b'] }])).toEqual({ runcmd: ['b'], users: [] }));

  it.each([{ runcmd: 'a' }, { runcmd: ['a', 7] }])('runs no command of %j', (config) =>
    expect(() => commandsOf(config, 'runcmd')).toThrow());

  it('quotes commands given as words, and skips empty ones', () =>
    expect(commandsOf({ runcmd: [['echo', 'a b'], null] }, 'runcmd')).toEqual(["echo 'a b'"]));

  it('hides files below what it mounts', () => {
    const files = new Map([
      ['/var/lib/x/a', ''],
      ['/var/lib/xyz', ''],
    ]);
    hideMounted({ mounts: [['/dev/xvdb', '/var/lib/x']] }, files);
    expect([...files.keys()]).toEqual(['/var/lib/xyz']);
  });
});

describe('a command line', () => {
  it.each([
    {
      rule: 'splits words at quotes',
      line: `echo 'a b' "c d" e\\ f`,
      is: [{ argv: ['echo', 'a b', 'c d', 'e f'], after: 'always' }],
    },
    {
      rule: 'chains commands',
      line: 'a && b || c; d',
      is: [
        { argv: ['a'], after: 'always' },
        { argv: ['b'], after: 'success' },
        { argv: ['c'], after: 'failure' },
        { argv: ['d'], after: 'always' },
      ],
    },
    {
      rule: 'redirects output',
      line: 'echo x > /f 2>&1',
      is: [{ argv: ['echo', 'x'], after: 'always', redirect: { path: '/f', append: false } }],
    },
    {
      rule: 'appends output',
      line: 'echo x>>/f',
      is: [{ argv: ['echo', 'x'], after: 'always', redirect: { path: '/f', append: true } }],
    },
    {
      rule: 'drops comments',
      line: 'a # b && c\nd',
      is: [
        { argv: ['a'], after: 'always' },
        { argv: ['d'], after: 'always' },
      ],
    },
    {
      rule: 'reads here-documents',
      line: "cat <<'EOF' > /f\nit's $HOME\nEOF\nb",
      is: [
        {
          argv: ['cat'],
          after: 'always',
          input: { content: "it's $HOME\n" },
          redirect: { path: '/f', append: false },
        },
        { argv: ['b'], after: 'always' },
      ],
    },
    {
      rule: 'passes a here-document through a pipe',
      line: 'cat <<-EOF | sudo tee /f\n\ta\n\tEOF',
      is: [
        { argv: ['cat'], after: 'always', input: { content: 'a\n' } },
        { argv: ['sudo', 'tee', '/f'], after: 'always', input: { content: 'a\n' } },
      ],
    },
    {
      rule: 'does not know what is expanded',
      line: 'cat <<EOF >/f\n$HOME\nEOF',
      is: [
        {
          argv: ['cat'],
          after: 'always',
          input: { content: undefined },
          redirect: { path: '/f', append: false },
        },
      ],
    },
    {
      rule: 'knows what is conditional',
      line: 'if a; then b; exit 1; fi; c',
      is: [
        { argv: ['if', 'a'], after: 'always', isNested: true },
        { argv: ['then', 'b'], after: 'always', isNested: true },
        { argv: ['exit', '1'], after: 'always', isNested: true },
        { argv: ['fi'], after: 'always', isNested: true },
        { argv: ['c'], after: 'always' },
      ],
    },
  ])('$rule', ({ line, is }) => expect(parseCommands(line)).toEqual(is));
});

describe('the write_files of a cloud-config', () => {
  const files = (entries: string, deferred = false) => {
    const onto = new Map<string, string>();
    const result = writeFiles(parsed(`#cloud-config\n${entries}`), onto, deferred);
    return { files: Object.fromEntries(onto), ...result };
  };
  const listed = (entries: string) => files(`write_files:\n${entries}`);
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
    { rule: 'content of an unknown encoding', entry: '- {path: /f, content: text, encoding: rot13}' },
    { rule: 'permissions as a number', entry: '- {path: /f, content: text, permissions: 0640}' },
    { rule: 'appended content', entry: '- {path: /f, content: te}\n- {path: /f, content: xt, append: true}' },
    { rule: 'an entry behind one without a path', entry: '- {content: a}\n- {path: /f, content: text}' },
    { rule: 'what is not deferred', entry: '- {path: /g, content: a, defer: true}\n- {path: /f, content: text}' },
  ])('are written: $rule', ({ entry }) => expect(listed(entry)).toMatchObject({ files: { '/f': 'text' } }));

  it.each([
    { rule: 'broken base64', entry: '{path: /b, content: abc, encoding: base64}' },
    { rule: 'content that is no gzip', entry: '{path: /b, content: aaaa, encoding: gz+b64}' },
    { rule: 'content that is a number', entry: '{path: /b, content: 7}' },
    { rule: 'a path that is a folder', entry: '{path: /a, content: x}' },
    { rule: 'an unknown owner, which has the file', entry: "{path: /b, content: x, owner: 'etcd:etcd'}", has: ['/b'] },
  ])('end at $rule', ({ entry, has = [] }) => {
    const result = listed(`- {path: /a/b, content: x}\n- ${entry}\n- {path: /c, content: x}`);
    expect(Object.keys(result.files)).toEqual(['/a/b', ...has]);
    expect(result.fault).toBeDefined();
  });

  it('may belong to a user that the same document makes, if they are deferred', () => {
    const made = 'users: [{name: app}]\nwrite_files:\n- {path: /f, content: x, owner: app, defer: true}';
    expect(files(made, true)).toEqual({ files: { '/f': 'x' }, warnings: [] });
    expect(files(made.replace(', defer: true', '')).fault).toContain("name not found: 'app'");
  });
});

describe('a MIME multipart message', () => {
  it.each([
    { text: 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=a\n\n', is: true },
    { text: 'Content-Type: multipart/mixed; boundary=a\nMIME-Version: 1.0\n\n', is: true },
    { text: 'Content-Type: multipart/mixed; boundary=a\n\n', is: false },
    { text: '#cloud-config\nMIME-Version: 1.0\n', is: false },
  ])('is known by its version: $text', ({ text, is }) => expect(isMime(text)).toBe(is));

  it('may lack its end', () =>
    expect(
      mimeParts('MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: text/one\n\nx'),
    ).toEqual([{ type: 'text/one', body: 'x' }]));

  it('yields its leaves in order, nested ones included', () => {
    const text =
      'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="a"\r\n\r\npreamble\r\n--a\r\nContent-Type: text/x-one; charset="us-ascii"\r\n\r\none\r\n--a\r\nContent-Type: multipart/mixed;\r\n boundary=b\r\n\r\n--b\r\nContent-Type: text/two\r\nContent-Transfer-Encoding: base64\r\n\r\ndHdv\r\n--b--\r\n--a--\r\n';
    expect(mimeParts(text)).toEqual([
      { type: 'text/x-one', body: 'one' },
      { type: 'text/two', body: 'two' },
    ]);
  });
});
