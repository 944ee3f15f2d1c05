import { beforeEach, describe, expect, it } from 'vitest';
import { memoryKeys } from '../adapters/memory/keys.ts';
import { seededRandom } from '../adapters/memory/random.ts';
import { memoryTable } from '../adapters/memory/table.ts';
import { type VirtualClock, virtualClock } from '../adapters/memory/virtual-clock.ts';
import { clusterSecret } from '../kinds/core/contract/cluster-secrets.ts';
import type { PushedEvent } from '../kinds/core/contract/push/rules.ts';
import { type AuditWebhook, type AuditWebhookPorts, createAuditWebhook } from './audit-webhook.ts';
import { composeFoundation, type Foundation } from './foundation.ts';

const cluster = { namespace: 'default', name: 'c' };
let clock: VirtualClock;
let foundation: Foundation;
let webhook: AuditWebhook;
let sent: { name: string; controller: string; delay: number }[];
let reads: number;

const putSecret = async (name: string, token: string) => {
  const owner = { apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'o' };
  const object = clusterSecret({ ...cluster, name, cluster: 'c', owner, values: { token } });
  await foundation.store.commit(foundation.kinds.typeOf('Secret'), { ...cluster, name }, () => ({
    do: 'put',
    object: { ...object, metadata: { ...object.metadata, uid: 'u' } },
  }));
};

beforeEach(async () => {
  clock = virtualClock(Date.UTC(2026, 0, 1));
  const random = seededRandom(1);
  sent = [];
  reads = 0;
  foundation = composeFoundation({
    installation: 'here',
    clock,
    random,
    log: { info: () => {}, error: () => {} },
    keys: memoryKeys(random),
    objects: memoryTable({ clock }),
    work: memoryTable({ clock }),
    queueOf: () => ({ send: async (message, delay = 0) => void sent.push({ ...JSON.parse(message), delay }) }),
  });
  await putSecret('c-audit-webhook', 'a-token');
  const objects: AuditWebhookPorts['objects'] = {
    get: (...args) => {
      reads++;
      return foundation.objects.get(...args);
    },
  };
  webhook = createAuditWebhook({ ...foundation, objects });
});

const taint: PushedEvent = {
  stage: 'ResponseComplete',
  verb: 'patch',
  user: { username: 'system:serviceaccount:kube-system:node-controller' },
  objectRef: { resource: 'nodes' },
  responseStatus: { code: 200 },
};
const version: PushedEvent = {
  stage: 'ResponseComplete',
  verb: 'get',
  requestURI: '/version',
  user: { username: 'kubernetes-admin' },
  responseStatus: { code: 200 },
};
const unschedulable: PushedEvent = {
  stage: 'ResponseComplete',
  verb: 'patch',
  user: { username: 'system:kube-scheduler' },
  objectRef: { resource: 'pods', subresource: 'status' },
  responseStatus: { code: 200 },
};
const ended: PushedEvent = {
  stage: 'ResponseComplete',
  verb: 'delete',
  user: { username: 'system:node:a', groups: ['system:nodes'] },
  objectRef: { resource: 'pods' },
  responseStatus: { code: 200 },
};
const listOf = (...items: PushedEvent[]) => JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items });
const post = async (body: string, { path = 'default/c', token = 'a-token', method = 'POST' } = {}) => {
  const url = `https://capstan/capstan.dev/audit/${path}`;
  const headers = { authorization: `Bearer ${token}` };
  const response = await webhook.fetch(new Request(url, { method, headers, ...(method === 'POST' && { body }) }))!;
  return { code: response.status, body: (await response.json()) as { kind: string; reason?: string } };
};
const itemOf = () => {
  const type = foundation.kinds.typeOf('Cluster');
  return foundation.workItems.get({ controller: 'workload-prober', type, ...cluster });
};

describe('the audit webhook', () => {
  it('wakes the prober of the cluster once for all events of a request', async () => {
    expect(await post(listOf(version, taint, taint))).toMatchObject({ code: 200, body: { kind: 'Status' } });
    expect(sent).toMatchObject([{ controller: 'workload-prober', name: 'c', delay: 0 }]);
    expect(await itemOf()).toMatchObject({ urgent: 1, reported: clock.now() });
  });

  it('wakes the autoscaler, not the prober, for Pods that the scheduler marks as unschedulable', async () => {
    await post(listOf(unschedulable, unschedulable));
    expect(sent).toMatchObject([{ controller: 'autoscaler', name: 'c', delay: 0 }]);
    const type = foundation.kinds.typeOf('ScalingPlan');
    expect(await foundation.workItems.get({ controller: 'autoscaler', type, ...cluster })).toMatchObject({ urgent: 1 });
  });

  it('wakes the autoscaler once for the Pods that end in a quarter of a minute, and at once for a mark', async () => {
    for (let n = 0; n < 14; n++) {
      await post(listOf(ended));
      await clock.advance(1000);
    }
    expect(sent).toMatchObject([{ controller: 'autoscaler', delay: 15 }]);
    await post(listOf(ended, unschedulable));
    await post(listOf(ended));
    await clock.advance(1000);
    await post(listOf(ended));
    await post(listOf(unschedulable));
    expect(sent.map(({ delay }) => delay)).toEqual([15, 0, 15, 3]);
  });

  it('records the proof of reports that woke the autoscaler alone', async () => {
    const prober = { controller: 'workload-prober', type: foundation.kinds.typeOf('Cluster'), ...cluster };
    await foundation.workItems.request(prober, { urgent: true });
    await post(listOf(unschedulable));
    const first = clock.now();
    expect(await itemOf()).toMatchObject({ reported: first, want: 1 });
    await clock.advance(30_000);
    await post(listOf(unschedulable));
    expect(await itemOf()).toMatchObject({ reported: first, want: 1 });
  });

  it('records no proof anew within a minute of a report that woke the prober', async () => {
    await post(listOf(taint));
    const first = clock.now();
    await clock.advance(30_000);
    await post(listOf(version));
    expect(await itemOf()).toMatchObject({ reported: first, want: 1 });
  });

  it('wakes each controller at once, whenever it woke the other', async () => {
    await post(listOf(taint));
    await post(listOf(unschedulable));
    expect(sent).toMatchObject([
      { controller: 'workload-prober', delay: 0 },
      { controller: 'autoscaler', delay: 0 },
    ]);
  });

  it.each([
    { rule: 'wakes nothing for an event that no rule names', body: listOf({ ...taint, verb: 'get' }) },
    { rule: 'wakes nothing for the proof that events arrive', body: listOf(version) },
    { rule: 'wakes nothing for an empty list', body: listOf() },
    { rule: 'ignores items that are no events', body: '{"kind":"EventList","items":[null,1,"x",[]]}' },
  ])('$rule', async ({ body }) => {
    expect((await post(body)).code).toBe(200);
    expect(sent).toEqual([]);
  });

  it.each([
    { rule: 'probed', of: 'Cluster', controller: 'workload-prober' },
    { rule: 'autoscaled', of: 'ScalingPlan', controller: 'autoscaler' },
  ])('records the proof for a cluster that is $rule, once a minute', async ({ of, controller }) => {
    const key = { controller, type: foundation.kinds.typeOf(of), ...cluster };
    await foundation.workItems.request(key, { urgent: true });
    const first = clock.now();
    await post(listOf(version));
    expect(await foundation.workItems.get(key)).toMatchObject({ reported: first, want: 1 });
    await clock.advance(30_000);
    await post(listOf(version));
    expect(await foundation.workItems.get(key)).toMatchObject({ reported: first });
    await clock.advance(31_000);
    await post(listOf(version));
    expect(await foundation.workItems.get(key)).toMatchObject({ reported: first + 61_000, want: 1 });
  });

  it('records no proof where no controller has a work item', async () => {
    await post(listOf(version));
    for (const [controller, of] of [
      ['workload-prober', 'Cluster'],
      ['autoscaler', 'ScalingPlan'],
    ] as const) {
      const key = { controller, type: foundation.kinds.typeOf(of), ...cluster };
      expect(await foundation.workItems.get(key)).toBeUndefined();
    }
  });

  it('wakes at most twice within three seconds, and after the last event', async () => {
    for (let n = 0; n < 60; n++) {
      await post(listOf(taint));
      await clock.advance(100);
    }
    expect(sent.map(({ delay }) => delay)).toEqual([0, 3, 3]);
    expect(reads).toBe(1);
  });

  it.each([
    { rule: 'a wrong token', options: { token: 'another' }, code: 401, reason: 'Unauthorized' },
    { rule: 'no token', options: { token: '' }, code: 401, reason: 'Unauthorized' },
    { rule: 'another cluster', options: { path: 'default/d' }, code: 401, reason: 'Unauthorized' },
    { rule: 'a path without a cluster', options: { path: 'default' }, code: 404, reason: 'NotFound' },
    { rule: 'a longer path', options: { path: 'default/c/x' }, code: 404, reason: 'NotFound' },
    { rule: 'an invalid name', options: { path: 'default/C%2F' }, code: 404, reason: 'NotFound' },
    { rule: 'another method', options: { method: 'GET' }, code: 405, reason: 'MethodNotAllowed' },
    { rule: 'a body that is not JSON', body: 'x', code: 400, reason: 'BadRequest' },
    { rule: 'a body that is no list', body: '[]', code: 400, reason: 'BadRequest' },
    { rule: 'null', body: 'null', code: 400, reason: 'BadRequest' },
    { rule: 'a huge body', body: ' '.repeat(3 * 1024 * 1024 + 1), code: 413, reason: 'RequestEntityTooLarge' },
  ])('refuses $rule', async ({ options = {}, body = listOf(taint), code, reason }) => {
    expect(await post(body, options)).toMatchObject({ code, body: { kind: 'Status', reason } });
    expect(sent).toEqual([]);
  });

  it('reads the token of an unknown cluster once, however many requests name it', async () => {
    for (let n = 0; n < 20; n++) await post(listOf(taint), { path: 'default/d' });
    expect(reads).toBe(1);
  });

  it.each([
    undefined,
    'Basic YTpi',
    'Bearer ',
    `Bearer ${'x'.repeat(513)}`,
    'Bearer a token',
  ])('refuses the authorization %s without a read', async (authorization) => {
    const url = 'https://capstan/capstan.dev/audit/default/c';
    const headers = { ...(authorization && { authorization }) };
    const response = await webhook.fetch(new Request(url, { method: 'POST', headers, body: listOf(taint) }))!;
    expect(response.status).toBe(401);
    expect(reads).toBe(0);
  });

  it('accepts no token of a Secret that is not the one of the cluster', async () => {
    await putSecret('d-audit-webhook', 'another-token');
    await putSecret('c-other', 'a-third-token');
    expect((await post(listOf(taint), { token: 'another-token' })).code).toBe(401);
    expect((await post(listOf(taint), { token: 'a-third-token' })).code).toBe(401);
    expect((await post(listOf(taint), { path: 'default/d', token: 'another-token' })).code).toBe(200);
  });

  it('accepts only the new token within half a minute of its rotation, and none of a deleted Secret', async () => {
    await post(listOf(taint));
    await putSecret('c-audit-webhook', 'a-new-token');
    await clock.advance(30_000);
    expect((await post(listOf(taint))).code).toBe(401);
    expect((await post(listOf(taint), { token: 'a-new-token' })).code).toBe(200);
    const key = { ...cluster, name: 'c-audit-webhook' };
    await foundation.store.commit(foundation.kinds.typeOf('Secret'), key, (object) => ({
      do: 'remove',
      object: object!,
    }));
    await clock.advance(30_000);
    expect((await post(listOf(taint), { token: 'a-new-token' })).code).toBe(401);
  });

  it('leaves other paths to the API', () =>
    expect(webhook.fetch(new Request('https://capstan/api/v1/secrets'))).toBeUndefined());
});
