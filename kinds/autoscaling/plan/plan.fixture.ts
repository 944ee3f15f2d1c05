import type { Inputs, Machine, Node, Pod, PodShape, Pool, Resources, Snapshot } from './types.ts';

export const now = Date.parse('2026-11-27T12:00:00Z');
export const minute = 60_000;
export const GiB = 2 ** 30;
export const amount = (cpu: number, memory = cpu, more: Resources = {}): Resources => ({
  cpu: cpu * 1000,
  memory: memory * GiB,
  ...more,
});
const size = amount(4, 16, { pods: 110 });

export const shape = (more: Partial<PodShape> = {}): PodShape => ({
  labels: { app: 'web' },
  requests: amount(1),
  ...more,
});
/** Equal pods that the scheduler marked Unschedulable. */
export const pending = (count: number, more: Partial<PodShape> = {}, pod: Partial<Pod> = {}): Pod[] => {
  const same = shape(more);
  return Array.from({ length: count }, (_, at) => ({
    namespace: 'default',
    name: `web-${at}`,
    owner: { kind: 'ReplicaSet', name: 'web' },
    shape: same,
    createdAt: now - minute,
    unschedulable: true,
    ...pod,
  }));
};
export const running = (node: string, count: number, more: Partial<PodShape> = {}, pod: Partial<Pod> = {}): Pod[] =>
  pending(count, more).map(({ unschedulable: _, name, ...one }) => ({ ...one, name: `${node}-${name}`, node, ...pod }));

export const idOf = (name: string): string => `MachineDeployment/default/${name}`;
export const pool = (name: string, more: Partial<Pool> = {}): Pool => ({
  id: idOf(name),
  min: 0,
  max: 1000,
  replicas: more.machines?.length ?? 0,
  machines: [],
  instanceType: 'm5.xlarge',
  zones: ['az-a'],
  template: { capacity: size, allocatable: size, labels: { 'kubernetes.io/os': 'linux' } },
  ...more,
});
export const node = (name: string, more: Partial<Node> = {}): Node => ({
  name,
  labels: { 'kubernetes.io/os': 'linux', 'topology.kubernetes.io/zone': 'az-a', 'kubernetes.io/hostname': name },
  allocatable: size,
  capacity: size,
  ready: true,
  createdAt: now - 120 * minute,
  ...more,
});
/** Machines that are nodes since long. */
export const machines = (...names: string[]): Machine[] =>
  names.map((name) => ({ name: `machine-${name}`, node: name, createdAt: now - 120 * minute }));

export const inputs = (
  { pools, ...more }: Partial<Snapshot> & { pools: Pool[] },
  rest: Partial<Inputs> = {},
): Inputs => ({
  snapshot: { nodes: [], pods: [], daemonSets: [], budgets: [], claims: {}, namespaces: { default: {} }, ...more },
  pools,
  now,
  ...rest,
});
