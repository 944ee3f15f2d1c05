/** A cluster of EKS under test, in a network that exists. */
import { createNetwork } from '../../cli/cloud-network.ts';
import type { CloudAction, CloudInput, CloudOutput } from '../../kinds/ports/cloud/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { example } from './manifests.ts';
import type { World } from './world.ts';

export const region = 'eu-central-1';

export const eksOf = (world: () => World) => {
  const call = <A extends CloudAction>(action: A, input: CloudInput<A>): Promise<CloudOutput<A>> =>
    world().wait(world().system.account.uncounted(region, action, input));

  /** The example's objects; `changes`: of their specs, by kind. */
  const manifest = async (changes: Record<string, object> = {}): Promise<KubeObject[]> => {
    const { vpc, privateSubnets } = await createNetwork(call as never, {
      region,
      name: 'shared',
      cidr: '10.1.0.0/16',
      zones: 2,
    });
    const network = { vpc: { id: vpc }, subnets: privateSubnets.map((id) => ({ id })) };
    return example('eks.yaml').map((object) => ({
      ...object,
      spec: {
        ...(object.spec as object),
        ...(object.kind === 'AWSManagedControlPlane' && { network }),
        ...changes[object.kind],
      },
    }));
  };

  const applied = async (objects: readonly KubeObject[]): Promise<void> => {
    for (const object of objects) {
      const { code, body } = await world().apply(object);
      if (code !== 201) throw new Error(`${object.kind}: ${body.message}`);
    }
  };

  return { call, manifest, applied };
};

/** The control plane without workers. */
export const withoutWorkers = (objects: readonly KubeObject[]): KubeObject[] =>
  objects.filter(({ kind }) => !kind.endsWith('MachinePool'));
