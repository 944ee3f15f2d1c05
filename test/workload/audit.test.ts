/** A real API server reports through the policy and the webhook that new control plane hosts get. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../adapters/memory/clock.ts';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { systemRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { type Listener, serve } from '../../adapters/node/index.ts';
import { clusterSecret } from '../../kinds/core/contract/cluster-secrets.ts';
import { pushFiles, pushPath } from '../../kinds/core/contract/push/configuration.ts';
import { createAuditWebhook } from '../../runtime/audit-webhook.ts';
import { composeFoundation } from '../../runtime/foundation.ts';
import { authority, certify } from './certificates.ts';
import { type RealCluster, startCluster } from './real-cluster.ts';

const directory = mkdtempSync(join(tmpdir(), 'capstan-audit-'));
const sent: string[] = [];
const answered: number[] = [];
let cluster: RealCluster;
let listener: Listener;

const foundation = composeFoundation({
  installation: 'here',
  clock: systemClock,
  random: systemRandom,
  log: { info: () => {}, error: () => {} },
  keys: memoryKeys(systemRandom),
  objects: memoryTable({ clock: systemClock }),
  work: memoryTable({ clock: systemClock }),
  queueOf: () => ({ send: async (message) => void sent.push(message) }),
});
const webhook = createAuditWebhook(foundation);
const key = {
  controller: 'workload-prober',
  type: foundation.kinds.typeOf('Cluster'),
  namespace: 'default',
  name: 'c',
};
const autoscaler = { ...key, controller: 'autoscaler', type: foundation.kinds.typeOf('ScalingPlan') };
const item = () => foundation.workItems.get(key);

/** The flags of the rendered patch, with the files in a directory of this machine. */
const configure = (port: number, ca: string, token: string): string[] => {
  const settings = { url: `https://127.0.0.1:${port}${pushPath}`, certificateAuthority: ca };
  const files = pushFiles({ settings, namespace: 'default', cluster: 'c', token }, ['health-check', 'autoscaling']);
  const here = (text: string) => text.replaceAll('/etc/kubernetes', join(directory, token));
  for (const { path, content } of files) {
    mkdirSync(dirname(here(path)), { recursive: true });
    writeFileSync(here(path), content);
  }
  const patch = JSON.parse(here(files[2]!.content)) as { value: unknown }[];
  return patch.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Waits for all batches, and for the second wake-up that covers later events. */
const settle = async () => {
  await pause(4500);
  sent.length = 0;
  answered.length = 0;
};

/** A request with a client certificate of that user. */
const as = (user: string, organizations: string[], method: string, path: string, body?: object): Promise<number> => {
  const { certificate, key: clientKey } = certify(cluster.authorities.cluster, ['client'], {
    name: user,
    organizations,
  });
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(`${cluster.server}${path}`, {
      method,
      ca: cluster.authorities.cluster.certificate,
      cert: certificate,
      key: clientKey,
      ...(body && { headers: { 'content-type': 'application/strategic-merge-patch+json' } }),
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      incoming.resume();
      incoming.on('end', () => resolve(incoming.statusCode ?? 0));
    });
    outgoing.end(body && JSON.stringify(body));
  });
};
const masters = ['system:masters'];
const nodeController = 'system:serviceaccount:kube-system:node-controller';
const conditions = (status: string) => ({
  status: { conditions: [{ type: 'Ready', status, reason: 'NodeStatusUnknown', message: 'm' }] },
});
const serviceOf = async (token: string) => {
  const ca = authority('capstan');
  const serving = certify(ca, ['server'], { name: 'capstan', names: ['127.0.0.1'] });
  listener = await serve({
    port: 0,
    identity: () => serving,
    fetch: async (request) => {
      const response = (await webhook.fetch(request)) ?? new Response('', { status: 404 });
      answered.push(response.status);
      return response;
    },
    onError: () => {},
  });
  return configure(listener.port, ca.certificate, token);
};

beforeAll(async () => {
  const owner = { apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'o' };
  const secret = { namespace: 'default', name: 'c-audit-webhook', cluster: 'c', owner, values: { token: 'right' } };
  const made = clusterSecret(secret);
  const object = { ...made, metadata: { ...made.metadata, uid: 'u' } };
  const place = { namespace: 'default', name: made.metadata.name };
  await foundation.store.commit(foundation.kinds.typeOf('Secret'), place, () => ({ do: 'put', object }));
  await foundation.workItems.request(key, { urgent: true });
  cluster = await startCluster({ apiServerFlags: await serviceOf('right') });
  await settle();
});
afterAll(async () => {
  await cluster?.stop();
  await listener?.close();
  rmSync(directory, { recursive: true, force: true });
});

it.each([
  [
    'the node controller reports a Node as lost',
    nodeController,
    'PATCH',
    '/api/v1/nodes/node-a/status',
    conditions('Unknown'),
    key,
  ],
  [
    'the node controller taints a Node whose kubelet is not ready',
    nodeController,
    'PATCH',
    '/api/v1/nodes/node-a',
    { spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] } },
    key,
  ],
  [
    'the scheduler marks a Pod as unschedulable',
    'system:kube-scheduler',
    'PATCH',
    '/api/v1/namespaces/kube-system/pods/etcd-node-a/status',
    { status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] } },
    autoscaler,
  ],
  ['a Node is deleted', 'alice', 'DELETE', '/api/v1/nodes/node-c', undefined, key],
] as const)('%s: one wake-up within two seconds', async (_, user, method, path, body, woken) => {
  await settle();
  const began = Date.now();
  expect(await as(user, masters, method, path, body)).toBe(200);
  while (sent.length === 0 && Date.now() - began < 2000) await pause(20);
  expect(sent.map((message) => JSON.parse(message))).toMatchObject([woken]);
  await pause(1500);
  expect(sent).toHaveLength(1);
});

it('other writes reach no endpoint: heartbeats of kubelets, leases, events, other Pods', async () => {
  await settle();
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' } };
  const event = { metadata: { name: 'e' }, involvedObject: { namespace: 'default' }, reason: 'r', type: 'Normal' };
  for (let n = 0; n < 5; n++)
    expect(await as('system:node:node-a', masters, 'PATCH', '/api/v1/nodes/node-a/status', conditions('True'))).toBe(
      200,
    );
  await cluster.request('POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', lease);
  await cluster.request('POST', '/api/v1/namespaces/default/events', { apiVersion: 'v1', kind: 'Event', ...event });
  await cluster.request('PATCH', '/api/v1/namespaces/kube-system/pods/etcd-node-b', {
    metadata: { labels: { a: 'b' } },
  });
  await as(nodeController, masters, 'GET', '/api/v1/nodes/node-a');
  await pause(2500);
  expect(answered).toEqual([]);
  expect(sent).toEqual([]);
});

it("the prober's own request proves that events arrive, and wakes nothing", async () => {
  await settle();
  const before = (await item())!;
  expect(await as('kubernetes-admin', masters, 'GET', '/version')).toBe(200);
  await pause(2500);
  expect(answered).toEqual([200]);
  expect(sent).toEqual([]);
  expect(await item()).toMatchObject({ want: before.want, reported: expect.any(Number) });
});

it('a flood of changes is batched, and wakes at most twice in three seconds', async () => {
  await settle();
  const began = Date.now();
  for (let n = 0; n < 300; n++)
    await as(nodeController, masters, 'PATCH', '/api/v1/nodes/node-a', { metadata: { labels: { n: String(n) } } });
  await pause(1500);
  const seconds = (Date.now() - began) / 1000;
  expect(answered.length).toBeLessThanOrEqual(seconds * 2 + 5);
  expect(sent.length).toBeLessThanOrEqual(1 + Math.ceil(seconds / 3));
  expect(sent.length).toBeGreaterThan(0);
});

it('an endpoint that is gone does not hurt the API server', async () => {
  await listener.close();
  await settle();
  for (let n = 0; n < 50; n++) {
    const label = { metadata: { labels: { gone: String(n) } } };
    expect(await as(nodeController, masters, 'PATCH', '/api/v1/nodes/node-a', label)).toBe(200);
  }
});

it('a wrong token is refused, and wakes nothing', async () => {
  await cluster.stopProcess('kube-apiserver');
  await cluster.restartApiServer(await serviceOf('wrong'));
  await settle();
  expect(await as(nodeController, masters, 'PATCH', '/api/v1/nodes/node-a', { metadata: { labels: { w: '1' } } })).toBe(
    200,
  );
  await pause(3000);
  expect(answered.length).toBeGreaterThan(0);
  expect(new Set(answered)).toEqual(new Set([401]));
  expect(sent).toEqual([]);
});
