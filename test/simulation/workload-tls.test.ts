/** A simulated cluster on real sockets: TLS authenticates clients. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../adapters/memory/clock.ts';
import { memoryStorage } from '../../adapters/memory/storage.ts';
import { type NodeNetwork, nodeNetwork } from '../../adapters/node/index.ts';
import { createWorkload, httpsTransport } from '../../adapters/workload/index.ts';
import type { Workload } from '../../kinds/ports/workload.ts';
import { initUserData } from './user-data.ts';
import { type Bench, certificatesAt, kubeconfigOf, openBench, testPki } from './workload-bench.ts';

describe('a workload cluster over TLS', () => {
  const now = Date.now();
  const certificates = certificatesAt(now);
  const workload: Workload = createWorkload({ transport: httpsTransport({ timeout: 2000 }) });
  let network: NodeNetwork;
  let bench: Bench;
  let endpoint: string;
  let kubeconfig: string;

  beforeAll(async () => {
    network = nodeNetwork();
    const port = network.reserve();
    endpoint = `127.0.0.1:${port}`;
    kubeconfig = kubeconfigOf(endpoint, certificates, now);
    bench = openBench({ clock: systemClock, storage: memoryStorage(systemClock), network, port, speed: 1000 });
    bench.boot('i-cp', initUserData({ certificates, endpoint }));
    const answers = () =>
      workload.read('version', { kubeconfig }).then(
        () => true,
        () => false,
      );
    for (let tries = 0; tries < 100 && !(await answers()); tries++)
      await new Promise((resolve) => setTimeout(resolve, 50));
  });
  afterAll(async () => {
    bench.guests.stop();
    await network.end();
  });

  it('answers its administrator', async () => {
    expect(await workload.read('version', { kubeconfig })).toMatchObject({ gitVersion: 'v1.35.0' });
    const list = await workload.read('list', {
      kubeconfig,
      apiVersion: 'v1',
      kind: 'Pod',
      labelSelector: 'tier=control-plane',
    });
    expect(list?.items).toHaveLength(4);
    expect(await workload.read('get', { kubeconfig, apiVersion: 'v1', kind: 'Node', name: 'nobody' })).toBeUndefined();
  });

  it('writes, and treats existing or missing objects as done', async () => {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'one' },
      data: { a: '1' },
    };
    const target = { kubeconfig, apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'one' };
    await workload.effect('create', { kubeconfig, object });
    await workload.effect('create', { kubeconfig, object });
    await workload.effect('apply', { kubeconfig, object: { ...object, data: { b: '2' } } });
    await workload.effect('patch', { ...target, patch: { data: { a: null } } });
    expect(await workload.read('get', target)).toMatchObject({ data: { b: '2' } });
    await expect(workload.effect('patch', { ...target, patch: {}, resourceVersion: '1' })).rejects.toMatchObject({
      code: 'Conflict',
    });
    await workload.effect('delete', target);
    await workload.effect('delete', target);
    expect(await workload.read('get', target)).toBeUndefined();
    await workload.effect('patch', { ...target, patch: {}, ifPresent: true });
    await expect(workload.effect('patch', { ...target, patch: {} })).rejects.toMatchObject({ code: 'NotFound' });
  });

  it.each([
    {
      rule: "another authority's certificate",
      text: () =>
        kubeconfigOf(endpoint, certificates, now, testPki.authority({ commonName: 'kubernetes', days: 1, now })),
      code: 'Unauthorized',
    },
    {
      rule: 'a user without a role',
      text: () => kubeconfigOf(endpoint, certificates, now, certificates.ca, ['dev']),
      code: 'Forbidden',
    },
    {
      rule: 'a client that trusts another authority',
      text: () =>
        kubeconfigOf(
          endpoint,
          { ...certificates, ca: testPki.authority({ commonName: 'kubernetes', days: 1, now }) },
          now,
        ),
      code: 'Unreachable',
    },
    {
      rule: 'a port that refuses connections',
      text: () => kubeconfigOf('127.0.0.1:1', certificates, now),
      code: 'Unreachable',
    },
    { rule: 'an invalid kubeconfig', text: () => 'nonsense: [', code: 'InvalidKubeconfig' },
  ])('rejects $rule', async ({ text, code }) => {
    await expect(workload.read('list', { kubeconfig: text(), apiVersion: 'v1', kind: 'Node' })).rejects.toMatchObject({
      name: 'WorkloadError',
      code,
    });
  });

  it('resets connections once no API server runs', async () => {
    bench.guests.halt('i-cp');
    await expect(workload.read('version', { kubeconfig })).rejects.toMatchObject({ code: 'Unreachable' });
  });
});
