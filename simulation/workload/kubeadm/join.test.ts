import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { certificates, openTestCluster } from '../../../test/simulation/workload-cluster.ts';

type Change = (document: Record<string, unknown>) => unknown;

/** Changes the document in a ConfigMap, boots a machine that joins, and returns what it printed. */
const consoleAfter = async (
  [namespace, name, key]: [namespace: string, name: string, key: string],
  change: Change | string,
  isControlPlane: boolean,
): Promise<string> => {
  const cluster = openTestCluster();
  await cluster.init();
  const { guests } = cluster.bench;
  const [live] = guests.clusters.all();
  const map = (await live!.get('configmaps', namespace, name)) as KubeObject & { data: Record<string, string> };
  const text = typeof change === 'string' ? change : stringify(change(parse(map.data[key]!)));
  await cluster.patch('ConfigMap', 'v1', name, { data: { [key]: text } }, namespace);
  // The token controller signs the changed cluster-info.
  await cluster.clock.advance(60_000);
  cluster.join('i-joining', isControlPlane ? { certificates } : {});
  const ends = /joined the cluster|error execution phase|unable to|failed to (?:get|decode)|One or more conditions/;
  await cluster.until(async () => ends.test(guests.console('i-joining')), 1200);
  return guests.console('i-joining');
};

const stored: [string, string, string] = ['kube-system', 'kubeadm-config', 'ClusterConfiguration'];
const joined = 'This node has joined the cluster';

describe('kubeadm join', () => {
  it.each<{ rule: string; of?: typeof stored; change: Change | string; isControlPlane?: boolean; says: string }>([
    {
      rule: 'refuses another kind',
      change: (document) => ({ ...document, kind: 'JoinConfiguration' }),
      says: 'Kind=JoinConfiguration into *kubeadm.ClusterConfiguration',
    },
    { rule: 'refuses another mapping', change: () => ({ a: 1 }), says: "Object 'Kind' is missing" },
    { rule: 'refuses what is no YAML', change: 'a: [', says: 'failed to decode cluster configuration data' },
    {
      rule: 'refuses another API',
      change: (document) => ({ ...document, apiVersion: 'kubelet.config.k8s.io/v1beta1' }),
      says: 'is registered for version "kubelet.config.k8s.io/v1beta1"',
    },
    {
      rule: 'refuses a field of another type',
      change: (document) => ({ ...document, networking: 'none' }),
      says: 'ClusterConfiguration.networking',
    },
    {
      rule: 'of a control plane needs an endpoint',
      change: ({ controlPlaneEndpoint: _, ...document }) => document,
      isControlPlane: true,
      says: "doesn't have a stable controlPlaneEndpoint address",
    },
    {
      rule: 'of a control plane is a client of the endpoint',
      change: (document) => ({ ...document, controlPlaneEndpoint: 'old.example.com:6443' }),
      isControlPlane: true,
      says: 'error execution phase etcd-join',
    },
    {
      rule: 'of a worker does not use that endpoint',
      change: (document) => ({ ...document, controlPlaneEndpoint: 'old.example.com:6443' }),
      says: joined,
    },
    { rule: 'ignores fields that it does not know', change: (document) => ({ ...document, note: '' }), says: joined },
    {
      rule: 'continues with the server of cluster-info',
      of: ['kube-public', 'cluster-info', 'kubeconfig'],
      change: (document) => {
        const [entry] = document.clusters as { cluster: object }[];
        return { ...document, clusters: [{ ...entry, cluster: { ...entry!.cluster, server: 'https://old:6443' } }] };
      },
      says: 'failed to get config map: Get "https://old:6443"',
    },
    {
      rule: 'refuses a kubelet configuration that is none',
      of: ['kube-system', 'kubelet-config', 'kubelet'],
      change: '- a list',
      says: 'could not download the kubelet configuration from ConfigMap "kubelet-config"',
    },
  ])('$rule', async ({ of = stored, change, isControlPlane = false, says }) =>
    expect(await consoleAfter(of, change, isControlPlane)).toContain(says));
});
