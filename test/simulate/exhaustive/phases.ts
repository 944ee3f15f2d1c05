/** The phases of a cluster's life, each of which the sweeps disturb at every step. */

import type { Client } from '../clients/client.ts';
import type { Life } from '../scenarios/context.ts';
import { type DesiredCluster, manifestOf, type Network } from '../scenarios/manifest.ts';

export interface StepContext {
  client: Client;
  life: Life;
}

export interface Phase {
  seed: number;
  /** The initial state: an unmanaged network, a cluster in it, or neither. */
  from: 'network' | 'cluster' | 'nothing';
  /** The user's requests. Each follows when the previous one is complete. */
  steps: readonly ((context: StepContext) => Promise<void>)[];
}

export const desiredClusterIn = (network: Network | undefined): DesiredCluster => ({
  name: 'c0',
  controlPlanes: 1,
  workers: 1,
  version: 'v1.35.0',
  workerVersion: 'v1.35.0',
  instanceType: 't3.large',
  onFailure: 'Retry',
  paused: false,
  ...(network && { network }),
});

const applied = async ({ client, life }: StepContext) => {
  life.documents = manifestOf(life.desired!);
  for (const object of life.documents) await client.apply(object);
};

const scaled =
  (replicas: number) =>
  async ({ client, life }: StepContext) => {
    life.desired!.workers = replicas;
    await client.scale('MachineDeployment', `${life.name}-workers`, replicas);
  };

const deleted = async ({ client, life }: StepContext) => {
  life.desired = undefined;
  await client.remove('Cluster', life.name);
};

/** The seeds differ, so one phase does not repeat the draws of another. */
export const phases = {
  create: { seed: 1, from: 'network', steps: [applied] },
  scale: {
    seed: 2,
    from: 'cluster',
    steps: [scaled(2), scaled(1)],
  },
  rollout: {
    seed: 3,
    from: 'cluster',
    steps: [
      async (context) => {
        context.life.desired!.instanceType = 'm5.large';
        await applied(context);
      },
    ],
  },
  upgrade: {
    seed: 4,
    from: 'cluster',
    steps: [
      async ({ client, life }) => {
        life.desired!.version = 'v1.35.1';
        await client.patch('KubeadmControlPlane', `${life.name}-control-plane`, { spec: { version: 'v1.35.1' } });
      },
    ],
  },
  delete: { seed: 5, from: 'cluster', steps: [deleted] },
  /** This cluster creates its own network. */
  network: { seed: 6, from: 'nothing', steps: [applied, deleted] },
} as const satisfies Record<string, Phase>;
export type PhaseName = keyof typeof phases;
export const phaseNames = Object.keys(phases) as PhaseName[];
