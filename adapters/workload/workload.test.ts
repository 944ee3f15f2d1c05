import { describe, expect, it } from 'vitest';
import { connectionOf } from '../../kinds/ports/kubeconfig.ts';
import type { Transport } from '../../kinds/ports/transport.ts';
import { createWorkload } from './workload.ts';

const kubeconfig = (server: string) => `
current-context: a
contexts: [{name: a, context: {cluster: a, user: a}}]
clusters: [{name: a, cluster: {server: "${server}"}}]
`;

const unused = () => Promise.reject(new Error('not asked for'));
const resources = { resources: [{ name: 'volumeattachments', kind: 'VolumeAttachment', namespaced: false }] };
const expired = { kind: 'Status', reason: 'Expired', message: 'The provided continue parameter is too old', code: 410 };

/** A cluster of `count` ConfigMaps whose continue tokens expire after `pages` pages. */
const clusterOf = (count: number, pages = Number.POSITIVE_INFINITY) => {
  const asked: string[] = [];
  const discovered: string[] = [];
  const all = Array.from({ length: count }, (_, i) => ({
    metadata: { name: String(i), labels: { a: 'b' } },
    data: {},
  }));
  const answer = (url: URL): Response => {
    if (url.pathname === '/apis/storage.k8s.io/v1') {
      discovered.push(url.pathname);
      return Response.json(resources);
    }
    asked.push(url.search);
    const limit = Number(url.searchParams.get('limit') ?? count);
    const from = Number(url.searchParams.get('continue') ?? 0);
    if (from >= limit * pages) return Response.json(expired, { status: 410 });
    const more = from + limit < count ? { continue: String(from + limit) } : {};
    return Response.json({ metadata: more, items: all.slice(from, from + limit) });
  };
  const transport: Transport = {
    fetch: async (_, request) => answer(new URL(request.url)),
    etcd: unused,
    etcdStream: unused,
    certificate: unused,
    fetchOn: unused,
  };
  return { asked, discovered, workload: createWorkload({ transport, pageSize: 10 }) };
};

describe('lists', () => {
  const list = { kubeconfig: kubeconfig('https://api.example.com'), apiVersion: 'v1', kind: 'ConfigMap' };

  it.each([{ pages: 9 }, { pages: 1 }])('keep the fields asked for of every page, of $pages', async ({ pages }) => {
    const { workload } = clusterOf(15, pages);
    const items = (await workload.read('list', { ...list, only: ['metadata.labels', 'status.phase'] }))?.items;
    expect(items).toHaveLength(15);
    const metadata = { name: '14', labels: { a: 'b' } };
    expect(items?.[14]).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  });

  it.each([
    { rule: 'a single page is requested once', count: 7, asked: ['?limit=10'] },
    { rule: 'a full page without a continue token is the last one', count: 10, asked: ['?limit=10'] },
    {
      rule: 'pages follow one another',
      count: 25,
      asked: ['?limit=10', '?limit=10&continue=10', '?limit=10&continue=20'],
    },
    {
      rule: 'an expired continue token leads to one unpaged list',
      count: 25,
      pages: 1,
      asked: ['?limit=10', '?limit=10&continue=10', ''],
    },
  ])('$rule', async ({ count, pages, asked }) => {
    const cluster = clusterOf(count, pages);
    const answer = await cluster.workload.read('list', list);
    expect(answer?.items.map(({ metadata }) => metadata.name)).toEqual(
      Array.from({ length: count }, (_, i) => String(i)),
    );
    expect(cluster.asked).toEqual(asked);
  });

  it('apply the selector to every page', async () => {
    const cluster = clusterOf(15);
    await cluster.workload.read('list', { ...list, labelSelector: 'a=b', fieldSelector: 'c=d' });
    const selectors = 'labelSelector=a%3Db&fieldSelector=c%3Dd';
    expect(cluster.asked).toEqual([`?${selectors}&limit=10`, `?${selectors}&limit=10&continue=10`]);
  });
});

describe('API discovery', () => {
  const of = (apiVersion: string, kind: string) => ({
    kubeconfig: kubeconfig('https://api.example.com'),
    apiVersion,
    kind,
  });
  it('runs once per group version', async () => {
    const cluster = clusterOf(1);
    for (let i = 0; i < 2; i++) await cluster.workload.read('list', of('storage.k8s.io/v1', 'VolumeAttachment'));
    expect(cluster.discovered).toEqual(['/apis/storage.k8s.io/v1']);
  });
  it('is skipped for kinds that every cluster serves', async () => {
    const cluster = clusterOf(1);
    await cluster.workload.read('list', of('v1', 'Node'));
    expect(cluster.discovered).toEqual([]);
  });
  it('runs once more for a kind that the cached discovery lacks', async () => {
    const cluster = clusterOf(1);
    expect(await cluster.workload.read('list', of('storage.k8s.io/v1', 'Imagined'))).toBeUndefined();
    expect(cluster.discovered).toHaveLength(2);
  });
});

describe('a refused eviction', () => {
  const refusing = (code: number, status: object) =>
    createWorkload({
      transport: {
        fetch: async () => Response.json({ kind: 'Status', code, ...status }, { status: code }),
        etcd: unused,
        etcdStream: unused,
        certificate: unused,
        fetchOn: unused,
      },
    }).effect('evict', { kubeconfig: kubeconfig('https://api.example.com'), namespace: 'a', pod: 'b' });
  const budget = "Cannot evict pod as it would violate the pod's disruption budget.";
  const several = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

  it.each([
    { by: 'a budget', code: 429, status: { reason: 'TooManyRequests', message: budget } },
    { by: 'there being two budgets', code: 500, status: { reason: 'InternalError', message: several } },
    { by: 'a webhook, or a namespace that goes', code: 403, status: { reason: 'Forbidden', message: 'not now' } },
  ])('because of $by asks to be retried', async ({ code, status }) => {
    const { reason, message } = status;
    await expect(refusing(code, status)).rejects.toMatchObject({ code: reason, message, consequence: 'wait' });
  });

  it('names the PodDisruptionBudgets that block it', async () => {
    const cause = 'The disruption budget web needs 2 healthy pods and has 2 currently';
    const details = { causes: [{ reason: 'DisruptionBudget', message: cause }] };
    const refused = refusing(429, { reason: 'TooManyRequests', message: budget, details });
    await expect(refused).rejects.toThrow(`${budget} ${cause}`);
  });
});

describe('a kubeconfig', () => {
  it.each([
    { rule: 'without a server', text: 'current-context: a' },
    { rule: 'with a server that is not a URL', text: kubeconfig('https://') },
    { rule: 'with a server that does not use https', text: kubeconfig('http://api.example.com') },
    { rule: 'that is not YAML', text: 'nonsense: [' },
    { rule: 'that is a list', text: '- a' },
    { rule: 'that is a word', text: 'rubbish' },
    { rule: 'with contexts that are no list', text: 'contexts: {a: b}' },
    { rule: 'with an empty entry', text: 'current-context: a\ncontexts: [null]' },
  ])('$rule is refused', ({ text }) => {
    expect(() => connectionOf(text)).toThrow(
      expect.objectContaining({ name: 'WorkloadError', code: 'InvalidKubeconfig' }),
    );
  });

  it('passes on the token of its user', () => {
    const text = `${kubeconfig('https://api.example.com')}\nusers: [{name: a, user: {token: secret}}]`;
    expect(connectionOf(text)).toEqual({ server: 'https://api.example.com', token: 'secret' });
  });

  it('passes on the name that the server certificate is for', () => {
    const text = kubeconfig('https://10.0.0.1').replace('server:', 'tls-server-name: api.example.com, server:');
    expect(connectionOf(text)).toEqual({ server: 'https://10.0.0.1', serverName: 'api.example.com' });
  });

  it('passes on that any certificate is accepted, unless it names an authority, too', () => {
    const text = kubeconfig('https://10.0.0.1').replace('server:', 'insecure-skip-tls-verify: true, server:');
    expect(connectionOf(text)).toEqual({ server: 'https://10.0.0.1', skipsVerification: true });
    expect(() => connectionOf(text.replace('server:', 'certificate-authority-data: YQ==, server:'))).toThrow(
      /of which only one may be set/,
    );
  });

  it('keeps the path of its server', () => {
    expect(connectionOf(kubeconfig('https://proxy.example.com/clusters/a/'))).toEqual({
      server: 'https://proxy.example.com/clusters/a',
    });
  });
});
