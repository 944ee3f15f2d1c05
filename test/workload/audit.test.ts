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
import { type Pushing, pushesWith, pushFiles, pushPath } from '../../kinds/core/contract/push/configuration.ts';
import type { PushedEvent, PushReason } from '../../kinds/core/contract/push/rules.ts';
import { createAuditWebhook } from '../../runtime/audit-webhook.ts';
import { composeFoundation } from '../../runtime/foundation.ts';
import { authority, certify } from './certificates.ts';
import { until } from './processes.ts';
import { type RealCluster, startCluster } from './real-cluster.ts';

const directory = mkdtempSync(join(tmpdir(), 'capstan-audit-'));
const sent: { message: string; after: number }[] = [];
/** The statuses of the answers to the API server, and what it reported. */
const answered: number[] = [];
const reported: PushedEvent[] = [];
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
  queueOf: () => ({ send: async (message, after = 0) => void sent.push({ message, after }) }),
});
let webhook = createAuditWebhook(foundation);
const key = {
  controller: 'workload-prober',
  type: foundation.kinds.typeOf('Cluster'),
  namespace: 'default',
  name: 'c',
};
const autoscaler = { ...key, controller: 'autoscaler', type: foundation.kinds.typeOf('ScalingPlan') };
const item = () => foundation.workItems.get(key);

const here = (token: string) => join(directory, token);
/** The flags of the rendered patch, with the files in a directory of this machine. */
const configure = (pushing: Pushing, reasons: readonly PushReason[]): string[] => {
  const files = pushFiles(pushing, reasons);
  const local = (text: string) => text.replaceAll('/etc/kubernetes', here(pushing.token));
  for (const { path, content } of files) {
    mkdirSync(dirname(local(path)), { recursive: true });
    writeFileSync(local(path), content);
  }
  const patch = JSON.parse(local(files[2]!.content)) as { value: unknown }[];
  return patch.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
};
/** Whether Capstan reads from these flags of the API server that it reports for this reason. */
const isReadAsReporting = (flags: string[], pushing: Pushing, reason: PushReason): boolean =>
  pushesWith(
    flags.map((flag) => flag.replaceAll(here(pushing.token), '/etc/kubernetes')),
    pushing,
    reason,
  );

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** From now on a new process receives, which has planned no wake-up. */
const reset = () => {
  webhook = createAuditWebhook(foundation);
  sent.length = 0;
  answered.length = 0;
  reported.length = 0;
};
/** Waits for all batches first. */
const settle = async () => {
  await pause(4500);
  reset();
};

/** A request with a client certificate of that user. */
const as = (
  user: string,
  organizations: readonly string[],
  method: string,
  path: string,
  body?: object,
): Promise<number> => {
  const { certificate, key: clientKey } = certify(cluster.authorities.cluster, ['client'], {
    name: user,
    organizations: [...organizations],
  });
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(`${cluster.server}${path}`, {
      method,
      ca: cluster.authorities.cluster.certificate,
      cert: certificate,
      key: clientKey,
      ...(body && {
        headers: {
          'content-type': method === 'PATCH' ? 'application/strategic-merge-patch+json' : 'application/json',
        },
      }),
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
const kubelets = ['system:nodes'];
const accounts = ['system:serviceaccounts', 'system:serviceaccounts:kube-system'];
const nodeController = 'system:serviceaccount:kube-system:node-controller';
const jobController = 'system:serviceaccount:kube-system:job-controller';
const garbageCollector = 'system:serviceaccount:kube-system:generic-garbage-collector';
const pods = '/api/v1/namespaces/default/pods';
const podOf = (name: string, { nodeName, finalizers }: { nodeName?: string; finalizers?: string[] } = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...(finalizers && { finalizers }) },
  spec: { ...(nodeName && { nodeName }), containers: [{ name: 'c', image: 'c' }] },
});
/** The requests with which a kubelet deletes a Pod, and the Job controller counts one. */
const atOnce = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 };
const tracking = 'batch.kubernetes.io/job-tracking';
const counted = { metadata: { '$deleteFromPrimitiveList/finalizers': [tracking] } };
const conditions = (status: string) => ({
  status: { conditions: [{ type: 'Ready', status, reason: 'NodeStatusUnknown', message: 'm' }] },
});
const listen = async (token: string): Promise<Pushing> => {
  const ca = authority('capstan');
  const serving = certify(ca, ['server'], { name: 'capstan', names: ['127.0.0.1'] });
  listener = await serve({
    port: 0,
    identity: () => serving,
    fetch: async (request) => {
      const { items } = (await request.clone().json()) as { items: PushedEvent[] };
      const response = (await webhook.fetch(request)) ?? new Response('', { status: 404 });
      reported.push(...items);
      answered.push(response.status);
      return response;
    },
    onError: () => {},
  });
  const settings = { url: `https://127.0.0.1:${listener.port}${pushPath}`, certificateAuthority: ca.certificate };
  return { settings, namespace: 'default', cluster: 'c', token };
};
/** All reports so far: that of this read of the version comes after them. */
const reports = async (): Promise<PushedEvent[]> => {
  expect(await as('kubernetes-admin', masters, 'GET', '/version')).toBe(200);
  const isRead = ({ requestURI }: PushedEvent) => requestURI === '/version';
  await until(async () => reported.some(isRead));
  // The API server answers a request shortly before it reports it.
  await pause(1000);
  return reported.filter((event) => !isRead(event));
};
/** Its roles exist a while after it answers. */
const isReady = () => until(async () => (await as('admin', masters, 'GET', '/readyz')) === 200, 90);
const restart = async (flags: string[]) => {
  await cluster.stopProcess('kube-apiserver');
  await cluster.restartApiServer(flags);
  await isReady();
};
let pushing: Pushing;
let flags: string[];

beforeAll(async () => {
  const owner = { apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'o' };
  const secret = { namespace: 'default', name: 'c-audit-webhook', cluster: 'c', owner, values: { token: 'right' } };
  const made = clusterSecret(secret);
  const object = { ...made, metadata: { ...made.metadata, uid: 'u' } };
  const place = { namespace: 'default', name: made.metadata.name };
  await foundation.store.commit(foundation.kinds.typeOf('Secret'), place, () => ({ do: 'put', object }));
  await foundation.workItems.request(key, { urgent: true });
  await foundation.workItems.request(autoscaler, { urgent: true });
  pushing = await listen('right');
  flags = configure(pushing, ['health-check', 'autoscaling']);
  cluster = await startCluster({ apiServerFlags: flags });
  await isReady();
  for (const name of ['ended', 'removed', 'collected', 'served'])
    await cluster.request('POST', pods, podOf(name, { nodeName: 'node-a' }));
  await cluster.request('POST', pods, podOf('completed', { nodeName: 'node-a', finalizers: [tracking] }));
  for (const name of ['pending', 'waiting']) await cluster.request('POST', pods, podOf(name));
  await settle();
});
afterAll(async () => {
  await cluster?.stop();
  await listener?.close();
  rmSync(directory, { recursive: true, force: true });
});

it.each<{
  rule: string;
  user: string;
  groups: readonly string[];
  method: string;
  path: string;
  body?: object;
  woken: typeof key;
  after?: number;
}>([
  {
    rule: 'the node controller reports a Node as lost',
    user: nodeController,
    groups: accounts,
    method: 'PATCH',
    path: '/api/v1/nodes/node-a/status',
    body: conditions('Unknown'),
    woken: key,
  },
  {
    rule: 'the node controller taints a Node whose kubelet is not ready',
    user: nodeController,
    groups: accounts,
    method: 'PATCH',
    path: '/api/v1/nodes/node-a',
    body: { spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] } },
    woken: key,
  },
  {
    rule: 'a Node is deleted',
    user: 'alice',
    groups: masters,
    method: 'DELETE',
    path: '/api/v1/nodes/node-c',
    woken: key,
  },
  {
    rule: 'the scheduler marks a Pod as unschedulable',
    user: 'system:kube-scheduler',
    groups: [],
    method: 'PATCH',
    path: `${pods}/waiting/status`,
    body: { status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] } },
    woken: autoscaler,
  },
  {
    rule: 'a kubelet deletes a Pod that ended',
    user: 'system:node:node-a',
    groups: kubelets,
    method: 'DELETE',
    path: `${pods}/ended`,
    body: atOnce,
    woken: autoscaler,
    after: 15,
  },
  {
    rule: 'the Job controller counts a Pod that ended',
    user: jobController,
    groups: accounts,
    method: 'PATCH',
    path: `${pods}/completed`,
    body: counted,
    woken: autoscaler,
    after: 15,
  },
])('$rule: one wake-up', async ({ user, groups, method, path, body, woken, after = 0 }) => {
  reset();
  expect(await as(user, groups, method, path, body)).toBe(200);
  expect(await reports()).toHaveLength(1);
  const wakes = sent.map((one) => ({ ...JSON.parse(one.message), after: one.after }));
  expect(wakes).toMatchObject([{ ...woken, after }]);
});

it.each<{
  rule: string;
  user: string;
  groups: readonly string[];
  method: string;
  path: string;
  body?: object;
  code?: number;
  times?: number;
}>([
  {
    rule: 'heartbeats of kubelets',
    user: 'system:node:node-a',
    groups: kubelets,
    method: 'PATCH',
    path: '/api/v1/nodes/node-a/status',
    body: conditions('True'),
    times: 5,
  },
  {
    rule: 'leases of kubelets',
    user: 'system:node:node-a',
    groups: kubelets,
    method: 'POST',
    path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
    body: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'node-a' } },
    code: 201,
  },
  {
    rule: 'Pods whose status a kubelet writes',
    user: 'system:node:node-a',
    groups: kubelets,
    method: 'PATCH',
    path: `${pods}/served/status`,
    body: { status: { phase: 'Succeeded' } },
  },
  {
    rule: 'bindings',
    user: 'system:kube-scheduler',
    groups: [],
    method: 'POST',
    path: `${pods}/pending/binding`,
    body: {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'pending' },
      target: { kind: 'Node', name: 'node-a' },
    },
    code: 201,
  },
  {
    rule: 'events',
    user: 'system:kube-scheduler',
    groups: [],
    method: 'POST',
    path: '/api/v1/namespaces/default/events',
    body: {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e' },
      involvedObject: { namespace: 'default' },
      reason: 'r',
      type: 'Normal',
    },
    code: 201,
  },
  {
    rule: 'a Pod that the Job controller creates',
    user: jobController,
    groups: accounts,
    method: 'POST',
    path: pods,
    body: podOf('created'),
    code: 201,
  },
  {
    rule: 'a Pod whose deletion a user begins',
    user: 'alice',
    groups: masters,
    method: 'DELETE',
    path: `${pods}/removed`,
  },
  {
    rule: 'a Pod whose deletion the garbage collector begins',
    user: garbageCollector,
    groups: accounts,
    method: 'DELETE',
    path: `${pods}/collected`,
  },
  {
    rule: 'a Pod that a user patches',
    user: 'alice',
    groups: masters,
    method: 'PATCH',
    path: `${pods}/served`,
    body: { metadata: { labels: { a: 'b' } } },
  },
  {
    rule: 'what the node controller reads',
    user: nodeController,
    groups: accounts,
    method: 'GET',
    path: '/api/v1/nodes/node-a',
  },
])('reports nothing of $rule', async ({ user, groups, method, path, body, code = 200, times = 1 }) => {
  reset();
  for (let n = 0; n < times; n++) expect(await as(user, groups, method, path, body)).toBe(code);
  expect(await reports()).toEqual([]);
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
  expect(await foundation.workItems.get(autoscaler)).toMatchObject({ reported: expect.any(Number) });
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

it('the flags of a cluster with pools show that it reports Pods', () => {
  expect(isReadAsReporting(flags, pushing, 'autoscaling')).toBe(true);
  expect(isReadAsReporting(flags, pushing, 'health-check')).toBe(true);
});

it('the flags of a cluster without pools show that it reports Nodes alone', async () => {
  const without = configure(pushing, ['health-check']);
  await restart(without);
  reset();
  expect(isReadAsReporting(without, pushing, 'autoscaling')).toBe(false);
  expect(isReadAsReporting(without, pushing, 'health-check')).toBe(true);
  await cluster.request('POST', pods, podOf('unreported', { finalizers: [tracking] }));
  const path = `${pods}/unreported`;
  const mark = { status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] } };
  expect(await as('system:kube-scheduler', [], 'PATCH', `${path}/status`, mark)).toBe(200);
  expect(await as(jobController, accounts, 'PATCH', path, counted)).toBe(200);
  expect(await as('system:node:node-a', kubelets, 'DELETE', path, atOnce)).toBe(200);
  expect(await as(nodeController, accounts, 'PATCH', '/api/v1/nodes/node-a/status', conditions('Unknown'))).toBe(200);
  expect(await reports()).toMatchObject([{ user: { username: nodeController } }]);
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
  await restart(configure(await listen('wrong'), ['health-check', 'autoscaling']));
  await settle();
  expect(await as(nodeController, masters, 'PATCH', '/api/v1/nodes/node-a', { metadata: { labels: { w: '1' } } })).toBe(
    200,
  );
  await pause(3000);
  expect(answered.length).toBeGreaterThan(0);
  expect(new Set(answered)).toEqual(new Set([401]));
  expect(sent).toEqual([]);
});
