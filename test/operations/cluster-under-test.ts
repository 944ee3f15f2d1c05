/** A cluster and its operations, for stories about them. */
import { expect } from 'vitest';
import type { ClusterOperation } from '../../kinds/operations/cluster-operation/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { FaultSpec } from '../../simulation/aws/faults.ts';
import { isSettled } from '../system/checks.ts';
import { example } from '../system/manifests.ts';
import { createWorld, type World, type WorldOptions } from '../system/world.ts';

export const clusterName = 'quickstart';
export const manifest = example('quickstart.yaml');

/** What a user applied: all objects without a controller owner. */
const specsOf = (world: World) =>
  new Map(
    manifest.map((object) => {
      const found = (world.all(object.kind as 'Cluster') as KubeObject[]).find(
        ({ metadata }) => metadata.name === object.metadata.name,
      );
      return [`${object.kind} ${object.metadata.name}`, found?.spec ?? (found as { data?: unknown } | undefined)?.data];
    }),
  );

export interface ClusterUnderTest {
  world: World;
  /** The newest operation of the type. */
  operation(type?: 'create' | 'delete'): ClusterOperation | undefined;
  operations(): ClusterOperation[];
  phase(type?: 'create' | 'delete'): string | undefined;
  fail(fault: FaultSpec): void;
  heal(): void;
  annotate(annotations: Record<string, string | null>): Promise<void>;
  apply(annotations?: Record<string, string>): Promise<void>;
  /** The specs as currently stored. */
  specs(): Map<string, unknown>;
  settle(minutes?: number): Promise<void>;
  /** Everything that Capstan created, objects and resources. */
  made(): string[];
}

const generated = ['Machine', 'MachineSet', 'AWSMachine', 'KubeadmConfig', 'Secret'] as const;

export const createCluster = async (options: WorldOptions = {}): Promise<ClusterUnderTest> => {
  const world = await createWorld({ workflows: true, ...options });
  const operations = () =>
    world.all('ClusterOperation').toSorted((a, b) => (a.spec?.attempt ?? 0) - (b.spec?.attempt ?? 0));
  const operation: ClusterUnderTest['operation'] = (type = 'create') =>
    operations().findLast(({ spec }) => spec?.type === type);
  return {
    world,
    operation,
    operations,
    phase: (type) => operation(type)?.status?.phase,
    fail: (fault) => void world.system.account.faults.add(fault),
    heal: () => world.system.account.faults.clear(),
    annotate: async (annotations) => {
      const answer = await world.patch('Cluster', clusterName, { metadata: { annotations } });
      expect(answer.code, JSON.stringify(answer.body)).toBe(200);
    },
    apply: async (annotations = {}) => {
      for (const object of manifest) {
        const isCluster = object.kind === 'Cluster';
        const metadata = { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } };
        await world.apply(isCluster ? { ...object, metadata } : object);
      }
    },
    specs: () => specsOf(world),
    settle: (minutes = 60) => world.until('settled', () => isSettled(world), minutes),
    made: () => [
      ...world.live().map(({ type, id }) => `${type} ${id}`),
      ...generated.flatMap((kind) => world.all(kind).map(({ metadata }) => `${kind} ${metadata.name}`)),
    ],
  };
};

export const failedFor = (cluster: ClusterUnderTest): string => {
  const { world } = cluster;
  return world.condition('Cluster', clusterName, 'Available')?.message ?? '';
};
