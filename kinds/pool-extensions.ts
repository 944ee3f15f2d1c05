/**
 * What admission of a pool's settings reads: the ScalingPlan of a MachineDeployment, and the
 * MachineDeployments that a ScalingPlan names.
 */
import type { KubeObject } from '../machinery/api/object.ts';

export interface PoolStore {
  get(type: string, key: { namespace: string; name: string }): Promise<KubeObject | undefined>;
}

const deployments = 'machinedeployments.cluster.x-k8s.io';
const plans = 'scalingplans.capstan.dev';

type Spec = { clusterName?: string; pools?: { name: string }[] };

/** Extensions of the registry by resource. */
export const poolExtensions = (store: PoolStore) => {
  const readAll = async (type: string, { namespace = '' }: KubeObject['metadata'], names: readonly string[]) => {
    const read = await Promise.all(names.map((name) => store.get(type, { namespace, name })));
    return read.filter((one) => one !== undefined);
  };
  return {
    [deployments]: {
      related: async ({ metadata, spec }: KubeObject) => {
        const { clusterName } = (spec ?? {}) as Spec;
        return readAll(plans, metadata, clusterName ? [clusterName] : []);
      },
    },
    [plans]: {
      related: async ({ metadata, spec }: KubeObject) => {
        const { pools = [] } = (spec ?? {}) as Spec;
        return readAll(
          deployments,
          metadata,
          pools.map(({ name }) => name),
        );
      },
    },
  };
};
