/** The Cluster of the example ClusterClass. */
import { expect } from 'vitest';
import type { Cluster } from '../../kinds/core/cluster/index.ts';
import type { ClusterOperation } from '../../kinds/operations/cluster-operation/index.ts';
import type { Condition, KubeObject } from '../../machinery/api/object.ts';
import { isSettled, isTrue } from './checks.ts';
import { type Answer, createWorld, type Moment, type World } from './world.ts';

export const cluster = 'cluster-class';
export const file = 'cluster-class.yaml';

export interface Topology {
  /** TopologyReconciled. */
  condition(): Condition | undefined;
  upgrades(): ClusterOperation[];
  /** Runs until nothing is left to do, and the topology is reconciled. */
  settle(): Promise<void>;
  topology(): NonNullable<NonNullable<Cluster['spec']>['topology']>;
  /** The templates that the topology made, by name. */
  templates(): string[];
  machines(): string[];
  /** Patches `spec.topology`. */
  send(patch: object): Promise<Answer>;
  /** The same, which must be admitted. */
  change(patch: object): Promise<void>;
  withValue(variable: string, value: unknown): object;
  /** The first MachineDeployment with more, alone. */
  withPool(more: object): object;
}

/** With operations, also where the moment had none. */
export const openMoment = async (from: Moment, seed: number): Promise<World> => {
  const opened = await createWorld({ from, seed, workflows: true });
  await opened.pass(1);
  return opened;
};

/** `world`: the one that a test has opened by then. */
export const topologyIn = (world: () => World): Topology => {
  const upgrades = () =>
    world()
      .all('ClusterOperation')
      .filter(({ spec }) => spec?.type === 'upgrade');
  const ended = () =>
    upgrades().every(({ status }) => !['Running', 'Pending', 'Paused', undefined].includes(status?.phase));
  const topology = () => world().find('Cluster', cluster)!.spec!.topology!;
  const send = (patch: object) => world().patch('Cluster', cluster, { spec: { topology: patch } });
  return {
    topology,
    templates: () =>
      (['AWSMachineTemplate', 'KubeadmConfigTemplate'] as const)
        .flatMap((kind) => world().all(kind) as KubeObject[])
        .filter(({ metadata }) => metadata.labels?.['topology.cluster.x-k8s.io/owned'] !== undefined)
        .map(({ metadata }) => metadata.name),
    machines: () =>
      world()
        .all('Machine')
        .map(({ metadata }) => metadata.name),
    send,
    change: async (patch) => {
      const answer = await send(patch);
      expect(answer.code, answer.body.message).toBe(200);
    },
    withValue: (variable, value) => ({
      variables: topology().variables!.map((one) => (one.name === variable ? { name: variable, value } : one)),
    }),
    withPool: (more) => ({
      workers: { machineDeployments: [{ ...topology().workers!.machineDeployments![0], ...more }] },
    }),
    condition: () =>
      world()
        .find('Cluster', cluster)
        ?.status?.conditions?.find(({ type }) => type === 'TopologyReconciled'),
    upgrades,
    settle: async () => {
      await world().pass(1);
      await world().until(
        'settled',
        () => isSettled(world()) && ended() && isTrue(world(), 'Cluster', cluster, 'TopologyReconciled'),
        90,
      );
    },
  };
};
