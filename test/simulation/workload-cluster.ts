/** A simulated workload cluster under a virtual clock, with shared steps for its tests. */

import { memoryStorage } from '../../adapters/memory/storage.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import type { EtcdAccess, EtcdStatus } from '../../kinds/ports/workload.ts';
import type { JsonObject, KubeObject } from '../../machinery/api/object.ts';
import type { GuestInstance } from '../../simulation/ports.ts';
import type { NodeObject, PodObject } from '../../simulation/workload/objects.ts';
import { type InitOptions, initUserData, type JoinOptions, joinUserData } from './user-data.ts';
import {
  type BenchOptions,
  certificatesAt,
  eventually,
  hashOf,
  kubeconfigOf,
  openBench,
  start,
  testPki,
} from './workload-bench.ts';

export const endpoint = '127.0.0.1:6443';
export const token = 'abcdef.0123456789abcdef';
export const certificates = certificatesAt(start);
export const kubeconfig = kubeconfigOf(endpoint, certificates, start);
export const hash = hashOf(certificates);

const etcdClient = testPki.issue({
  commonName: 'test',
  usages: ['client'],
  ca: certificates.etcd,
  days: 1,
  now: start,
});
export const etcdAccess = (nodes: string[]): EtcdAccess => ({
  kubeconfig,
  caCertificate: certificates.etcd.certificate,
  clientCertificate: etcdClient.certificate,
  clientKey: etcdClient.key,
  nodes,
});

export const tokenObject = (text = token, expiration = '2026-11-22T12:00:00Z'): JsonObject => {
  const [id = '', secret = ''] = text.split('.');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'kube-system', name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': secret,
      expiration,
      'usage-bootstrap-signing': 'true',
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
    },
  };
};

export const openTestCluster = (options: Partial<BenchOptions> = {}) => {
  const clock = virtualClock(start);
  const storage = memoryStorage(clock);
  let lives = 1;
  let bench = openBench({ clock, storage, ...options });
  const list = async <T extends KubeObject>(kind: string, apiVersion = 'v1', namespace?: string): Promise<T[]> =>
    ((await bench.workload.read('list', { kubeconfig, apiVersion, kind, ...(namespace && { namespace }) }))?.items ??
      []) as T[];
  const until = (done: () => Promise<boolean>, seconds?: number) => eventually(clock, done, seconds);
  const nodes = () => list<NodeObject>('Node');
  const pods = (namespace?: string) => list<PodObject>('Pod', 'v1', namespace);
  const isReady = (node: NodeObject) =>
    node.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  const ready = async (count: number): Promise<void> =>
    until(async () => (await nodes()).filter(isReady).length === count);
  const cluster = {
    clock,
    storage,
    get bench() {
      return bench;
    },
    get workload() {
      return bench.workload;
    },
    list,
    until,
    nodes,
    pods,
    isReady,
    ready,
    create: (object: JsonObject) => bench.workload.effect('create', { kubeconfig, object }),
    patch: (kind: string, apiVersion: string, name: string, patch: JsonObject, namespace?: string) =>
      bench.workload.effect('patch', { kubeconfig, kind, apiVersion, name, patch, ...(namespace && { namespace }) }),
    etcd: (names: string[]): Promise<EtcdStatus> =>
      bench.workload.read('etcd', etcdAccess(names)) as Promise<EtcdStatus>,
    /** Boots the first control plane machine and waits until it answers. */
    init: async (input: Partial<InitOptions> = {}, instance: Partial<GuestInstance> = {}): Promise<string> => {
      const name = bench.boot('i-cp', initUserData({ certificates, endpoint, ...input }), instance);
      await until(async () => bench.guests.answers('i-cp', 6443, { protocol: 'HTTPS' }), 60);
      await cluster.create(tokenObject());
      return name;
    },
    join: (id: string, input: Partial<JoinOptions> = {}, instance: Partial<GuestInstance> = {}): string =>
      bench.boot(id, joinUserData({ endpoint, token, hash, ...input }), instance),
    /** As after kill -9: memory is lost, the storage remains. */
    restart: (): void => {
      bench.guests.stop();
      const { targets, secrets, instances } = bench;
      // With the same random numbers, a second life would repeat its transaction tokens.
      lives++;
      bench = openBench({ clock, storage, ...options, targets, secrets, instances, seed: lives });
    },
  };
  return cluster;
};

/** Initialises Nodes; runs on control planes. */
export const cloudController = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { namespace: 'kube-system', name: 'aws-cloud-controller-manager' },
  spec: {
    selector: { matchLabels: { app: 'ccm' } },
    template: {
      metadata: { labels: { app: 'ccm' } },
      spec: {
        containers: [{ name: 'ccm', image: 'registry.k8s.io/provider-aws/cloud-controller-manager:v1.35.0' }],
        nodeSelector: { 'node-role.kubernetes.io/control-plane': '' },
        tolerations: [{ operator: 'Exists' }],
      },
    },
  },
} as JsonObject;
