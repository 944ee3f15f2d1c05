import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Entry, merged, writeEntry } from './kubeconfig.ts';

const entry: Entry = {
  name: 'capstan.eu-central-1',
  server: 'https://x.execute-api.eu-central-1.amazonaws.com/v1',
  exec: {
    command: '/opt/capstan/node',
    args: ['token', '--cluster-id', 'capstan'],
    installHint: 'install it',
  },
};

const others = `# ours for years
apiVersion: v1
kind: Config
clusters:
  # production, do not touch
  - name: prod
    cluster:
      server: https://prod.example   # behind the firewall
contexts:
- context: {cluster: prod, user: me}
  name: prod
current-context: prod
users:
- name: me
  user:
    token: secret
preferences: {}
`;

describe('a kubeconfig entry', () => {
  it('creates a complete kubeconfig from an empty one', () => {
    expect(parse(merged('', entry))).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: entry.name, cluster: { server: entry.server } }],
      users: [
        {
          name: entry.name,
          user: {
            exec: {
              apiVersion: 'client.authentication.k8s.io/v1',
              command: '/opt/capstan/node',
              args: ['token', '--cluster-id', 'capstan'],
              installHint: 'install it',
              interactiveMode: 'Never',
              provideClusterInfo: false,
            },
          },
        },
      ],
      contexts: [{ name: entry.name, context: { cluster: entry.name, user: entry.name } }],
      'current-context': entry.name,
    });
  });

  it('keeps other entries and becomes the current context', () => {
    const text = merged(others, entry);
    for (const line of ['# ours for years', '# production, do not touch', '# behind the firewall'])
      expect(text).toContain(line);
    const { clusters, users, contexts, ...rest } = parse(text);
    expect(clusters).toHaveLength(2);
    expect(clusters[0]).toEqual({ name: 'prod', cluster: { server: 'https://prod.example' } });
    expect(users[0]).toEqual({ name: 'me', user: { token: 'secret' } });
    expect(contexts[0]).toEqual({ name: 'prod', context: { cluster: 'prod', user: 'me' } });
    expect(rest['current-context']).toBe(entry.name);
    expect(rest.preferences).toEqual({});
  });

  it('replaces an entry of the same name and keeps its namespace', () => {
    const once = merged(others, { ...entry, certificateAuthority: 'OLD' }).replace(
      `cluster: ${entry.name}\n`,
      `cluster: ${entry.name}\n      namespace: team-a\n`,
    );
    const { clusters, users, contexts } = parse(merged(once, { ...entry, certificateAuthority: 'NEW' }));
    expect([clusters.length, users.length, contexts.length]).toEqual([2, 2, 2]);
    expect(clusters[1].cluster['certificate-authority-data']).toBe(Buffer.from('NEW').toString('base64'));
    expect(contexts[1].context.namespace).toBe('team-a');
    expect(parse(merged(once, entry)).clusters[1].cluster).toEqual({ server: entry.server });
  });

  it('is stable when it is written twice', () => {
    const once = merged(others, entry);
    expect(merged(once, entry)).toBe(once);
  });

  it.each([
    {
      rule: 'empty lists, as kubectl writes them',
      text: 'apiVersion: v1\nkind: Config\nclusters: []\ncontexts: null\nusers:\n',
    },
    {
      rule: 'a kubeconfig in JSON',
      text: '{"apiVersion":"v1","kind":"Config","clusters":[],"contexts":[],"users":[]}',
    },
  ])('is added to $rule', ({ text }) => {
    const { clusters, users, contexts } = parse(merged(text, entry));
    expect([clusters, users, contexts].map((list) => list[0].name)).toEqual([entry.name, entry.name, entry.name]);
  });

  it.each([
    'clusters: {',
    'just text',
    '- a list',
    'clusters: text',
  ])('is refused by a file that is not a kubeconfig: %s', (text) => {
    expect(() => merged(text, entry)).toThrow();
  });
});

describe('the kubeconfig file', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'capstan-kubeconfig-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('is created with its folder, readable by its owner only', () => {
    const path = join(directory, 'new', 'config');
    writeEntry(path, entry);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(parse(readFileSync(path, 'utf8'))['current-context']).toBe(entry.name);
  });
  it('stays unchanged when it is not a kubeconfig', () => {
    const path = join(directory, 'config');
    writeFileSync(path, 'clusters: {');
    expect(() => writeEntry(path, entry)).toThrow(`${path} is left as it is`);
    expect(readFileSync(path, 'utf8')).toBe('clusters: {');
  });
  it('is written through a symbolic link', () => {
    const [path, link] = [join(directory, 'config'), join(directory, 'link')];
    writeFileSync(path, others);
    symlinkSync(path, link);
    writeEntry(link, entry);
    expect(readFileSync(path, 'utf8')).toContain(entry.name);
    expect(readFileSync(link, 'utf8')).toBe(readFileSync(path, 'utf8'));
  });
});
