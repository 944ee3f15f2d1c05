/** A cluster of the example quickstart that is upgraded. */
import { expect } from 'vitest';
import type { ObjectTargets } from '../../kinds/core/contract/object-targets.ts';
import { operationAnnotations } from '../../kinds/core/contract/target.ts';
import type { Machine } from '../../kinds/core/machine/index.ts';
import type { ClusterOperation } from '../../kinds/operations/cluster-operation/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { expectWhole, isSettled } from './checks.ts';
import { createWorld, type Moment, type World, type WorldOptions } from './world.ts';

export const cluster = 'quickstart';
export const workers = 'quickstart-workers';
export const controlPlane = 'quickstart-control-plane';

export interface Upgrading {
  world: World;
  upgrades(): ClusterOperation[];
  phases(): (string | undefined)[];
  /** The steps of the newest upgrade, or of that attempt. */
  steps(attempt?: number): string[];
  message(): string;
  targets(): ObjectTargets;
  versions(): (string | undefined)[];
  /** The control-plane Machines. */
  members(): Machine[];
  /** Their versions, sorted, one for each. */
  memberVersions(): (string | undefined)[];
  annotate(annotations: Record<string, string | null>): Promise<void>;
  change(kind: 'KubeadmControlPlane' | 'MachineDeployment', patch: object): Promise<void>;
  toVersion(version: string): Promise<void>;
  /** Workers use a bootstrap config that never joins. */
  breakWorkers(): Promise<void>;
  atStep(step: string, minutes?: number): Promise<void>;
  ended(minutes?: number): Promise<void>;
  settled(): Promise<void>;
  /** kubeadm's ConfigMap in the workload cluster. */
  kubeadmConfig(): Promise<unknown>;
  /** As a user edits the ClusterConfiguration in it. */
  changeKubeadmConfig(change: (text: string) => string): Promise<void>;
}

/** A machine runs this before kubeadm, and never joins. */
export const neverJoins = { preKubeadmCommands: ['exit 1'] };

export const openUpgrade = async (
  from: Moment,
  seed: number,
  options: Pick<WorldOptions, 'behaviour'> = {},
): Promise<Upgrading> => {
  const world = await createWorld({ ...options, from, seed, workflows: true });
  const upgrades = () =>
    world
      .all('ClusterOperation')
      .filter(({ spec }) => spec?.type === 'upgrade')
      .toSorted((a, b) => (a.spec?.attempt ?? 0) - (b.spec?.attempt ?? 0));
  const phases = () => upgrades().map(({ status }) => status?.phase);
  const change: Upgrading['change'] = async (kind, patch) => {
    const name = kind === 'MachineDeployment' ? workers : controlPlane;
    const answer = await world.patch(kind, name, patch);
    expect(answer.code, answer.body.message).toBe(200);
  };
  const ended = async (minutes = 60) => {
    await world.until('begun', () => phases().length > 0, 2);
    await world.until('ended', () => !['Running', 'Paused', 'Pending', undefined].includes(phases().at(-1)), minutes);
  };
  const kubeadmConfig = async () => {
    const [guest] = world.system.guests.clusters.all();
    const map = await world.wait(guest!.get('configmaps', 'kube-system', 'kubeadm-config'));
    return map as KubeObject & { data: Record<string, string> };
  };
  const members = () =>
    world.all('Machine').filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/control-plane'] === '');
  return {
    world,
    upgrades,
    phases,
    steps: (attempt) =>
      (upgrades().at((attempt ?? 0) - 1)?.status?.steps ?? []).map(({ name, verdict }) => `${name} ${verdict}`),
    message: () => upgrades().at(-1)?.status?.message ?? '',
    targets: () =>
      JSON.parse(world.find('Cluster', cluster)?.metadata.annotations?.[operationAnnotations.objectTargets] ?? '{}'),
    versions: () => [...new Set(world.all('Machine').map(({ spec }) => spec?.version))],
    members,
    memberVersions: () =>
      members()
        .map(({ spec }) => spec?.version)
        .sort(),
    annotate: async (annotations) => {
      const answer = await world.patch('Cluster', cluster, { metadata: { annotations } });
      expect(answer.code, answer.body.message).toBe(200);
    },
    change,
    toVersion: async (version) => {
      await change('KubeadmControlPlane', { spec: { version } });
      await change('MachineDeployment', { spec: { template: { spec: { version } } } });
    },
    breakWorkers: async () => {
      const template = world.find('KubeadmConfigTemplate', workers) as KubeObject<{ template: { spec: object } }>;
      const { apiVersion, kind, spec } = template;
      await world.apply({
        apiVersion,
        kind,
        metadata: { name: 'broken', namespace: 'default' },
        spec: { template: { spec: { ...spec?.template.spec, ...neverJoins } } },
      });
      const { bootstrap } = world.find('MachineDeployment', workers)!.spec!.template.spec;
      await change('MachineDeployment', {
        spec: { template: { spec: { bootstrap: { configRef: { ...bootstrap.configRef, name: 'broken' } } } } },
      });
    },
    atStep: (step, minutes = 60) => world.until(`at ${step}`, () => upgrades().at(-1)?.status?.step === step, minutes),
    ended,
    settled: async () => {
      await ended();
      await world.until('settled', () => isSettled(world), 60);
      expectWhole(world);
    },
    kubeadmConfig: async () => (await kubeadmConfig()).data,
    changeKubeadmConfig: async (change) => {
      const [guest] = world.system.guests.clusters.all();
      const { data, ...map } = await kubeadmConfig();
      const ClusterConfiguration = change(data.ClusterConfiguration!);
      await world.wait(guest!.put([{ ...map, data: { ...data, ClusterConfiguration } }]));
    },
  };
};
