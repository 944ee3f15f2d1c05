import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { initUserData, joinUserData, secretPointer } from '../../test/simulation/user-data.ts';
import {
  certificatesAt,
  eventually,
  hashOf,
  kubeconfigOf,
  start,
  virtualBench,
} from '../../test/simulation/workload-bench.ts';
import { isTrue, type NodeObject } from './objects.ts';

const endpoint = '127.0.0.1:6443';
const token = 'abcdef.0123456789abcdef';
const certificates = certificatesAt(start);
const kubeconfig = kubeconfigOf(endpoint, certificates, start);
const tokenObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'kube-system', name: 'bootstrap-token-abcdef' },
  type: 'bootstrap.kubernetes.io/token',
  stringData: {
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    expiration: '2026-11-21T12:30:00Z',
    'usage-bootstrap-signing': 'true',
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
  },
};

describe('a machine with user data to initialise a cluster', () => {
  it('becomes a control plane that answers, and workers join it', async () => {
    const bench = virtualBench();
    const { clock, workload } = bench;
    const name = bench.boot('i-cp', initUserData({ certificates, endpoint }));
    await eventually(clock, async () => bench.guests.answers('i-cp', 6443, { protocol: 'HTTPS' }), 60);
    expect(await workload.read('version', { kubeconfig })).toMatchObject({ gitVersion: 'v1.35.0' });
    await workload.effect('create', { kubeconfig, object: tokenObject });

    const pointer = secretPointer(
      joinUserData({ endpoint, token, hash: hashOf(certificates) }),
      'us-east-1',
      'aws.cluster.x-k8s.io/1',
    );
    for (const [secret, data] of pointer.secrets) bench.secrets.set(secret, data);
    const worker = bench.boot('i-worker', pointer.userData);
    const nodes = async () =>
      ((await workload.read('list', { kubeconfig, apiVersion: 'v1', kind: 'Node' }))?.items ?? []) as NodeObject[];
    await eventually(clock, async () => (await nodes()).filter((node) => isTrue(node, 'Ready')).length === 2, 120);
    expect((await nodes()).map((node) => node.metadata.name)).toEqual([name, worker].sort());
    expect(bench.secrets.size).toBe(0);

    const pods = (await workload.read('list', { kubeconfig, apiVersion: 'v1', kind: 'Pod', namespace: 'kube-system' }))!
      .items;
    await eventually(clock, async () => {
      const now = (await workload.read('list', { kubeconfig, apiVersion: 'v1', kind: 'Pod' }))!.items;
      return now.length >= 8 && now.every((pod) => (pod.status as { phase: string }).phase === 'Running');
    });
    expect(pods.map((pod: KubeObject) => pod.metadata.name)).toContain(`etcd-${name}`);
    expect(bench.guests.console('i-worker')).toContain('This node has joined the cluster');
    expect(bench.errors).toEqual([]);
  });
});
