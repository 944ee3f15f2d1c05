/** The life of a cluster, whose machines are instances of another implementation of EC2. */
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { openAccount } from './account.ts';
import { etcdStory } from './etcd.story.ts';
import type { Installation } from './installation.ts';
import { quickstart } from './manifests.ts';

interface Listed {
  items: KubeObject[];
}
/** Statuses by type. */
type Conditions = Record<string, string>;

const conditionsIn = ({ status }: KubeObject): Conditions => {
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] };
  return Object.fromEntries(conditions.map(({ type, status: now }) => [type, now]));
};
export const conditionsOf = async ({ json }: Installation, kind: string, name: string): Promise<Conditions> =>
  conditionsIn(await json<KubeObject>('get', kind, name));

const isIdle = ({ RollingOut, ScalingUp, ScalingDown }: Conditions): boolean =>
  RollingOut === 'False' && ScalingUp === 'False' && ScalingDown === 'False';

/**
 * The owners of the cluster's Machines that have not yet done what their spec says. A Cluster
 * counts their conditions seconds later.
 */
const unsettledOwners = async ({ json }: Installation, cluster: string): Promise<string[]> => {
  const { items } = await json<Listed>('get', 'kubeadmcontrolplanes,machinedeployments');
  return items
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === cluster))
    .filter((one) => {
      const { observedGeneration } = (one.status ?? {}) as { observedGeneration?: number };
      return observedGeneration !== one.metadata.generation || !isIdle(conditionsIn(one));
    })
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`);
};

/** Waits until the cluster matches its spec. */
export const settled = async (installation: Installation, name: string, minutes = 15): Promise<void> => {
  await installation.until(
    `the owners of ${name}'s Machines are at rest`,
    () => unsettledOwners(installation, name),
    (left) => left.length === 0,
    minutes,
  );
  await installation.until(
    `${name} is available`,
    () => conditionsOf(installation, 'cluster', name),
    (conditions) => conditions.Available === 'True' && isIdle(conditions),
    minutes,
  );
};

const running = async (installation: Installation) =>
  (await openAccount(installation.place).instances(installation.place.region)).filter(
    ({ state }) => state === 'running',
  );
export const machinesOf = async ({ json }: Installation, cluster: string): Promise<string[]> => {
  const { items } = await json<Listed>('get', 'machines', '-l', `cluster.x-k8s.io/cluster-name=${cluster}`);
  return items.map(({ metadata }) => metadata.name ?? '').sort();
};

/** Waits until every existing operation has succeeded. */
export const succeeded = async ({ ok, until }: Installation): Promise<void> => {
  const phases = () => ok('get', 'clop', '-o', 'jsonpath={.items[*].status.phase}');
  await until('operations succeed', phases, (seen) => /^(Succeeded ?)+$/.test(seen));
};

/** Deletes it, and waits until nothing of it remains. */
export const deleted = async (installation: Installation, manifest: string): Promise<void> => {
  const { kubectlOf, until, place } = installation;
  const deletion = await kubectlOf(manifest, 'delete', '--ignore-not-found', '--wait=false', '-f', '-');
  expect(deletion.stderr.replaceAll(/^Warning.*\n/gm, '')).toBe('');
  await until(
    'no object is left',
    () => installation.ok('get', 'clusters,machines,awsclusters,awsmachines', '-o', 'name'),
    (seen) => seen === '',
  );
  expect(await openAccount(place).left(place.region)).toEqual([]);
};

export const lifeStory = (installation: () => Installation) =>
  describe('a cluster', () => {
    const name = 'quickstart';
    const manifest = () => quickstart(name, installation().place.region);

    it('becomes Available, with an instance per machine', async () => {
      await installation().apply(manifest());
      await settled(installation(), name, 15);
      const machines = await machinesOf(installation(), name);
      const instances = await running(installation());
      expect(machines.length).toBe(3);
      expect(instances.map(({ machine }) => machine).sort()).toEqual(machines.map((one) => `default/${one}`));
      await succeeded(installation());
      const secrets = (await openAccount(installation().place).left(installation().place.region)).filter((one) =>
        one.startsWith('aws.cluster.x-k8s.io/'),
      );
      expect(secrets).toEqual([]);
    });

    it('does not change when it is applied again', async () => {
      const applied = await installation().apply(manifest());
      expect(applied.split('\n').filter((line) => line !== '' && !line.endsWith('unchanged'))).toEqual([]);
    });

    it('scales up and down', async () => {
      const { ok } = installation();
      await ok('scale', `machinedeployment/${name}-workers`, '--replicas=3');
      await installation().until(
        'three workers',
        () => running(installation()),
        (seen) => seen.length === 4,
      );
      await settled(installation(), name);
      await ok('scale', `machinedeployment/${name}-workers`, '--replicas=1');
      await installation().until(
        'one worker',
        () => running(installation()),
        (seen) => seen.length === 2,
      );
      await settled(installation(), name);
      expect((await machinesOf(installation(), name)).length).toBe(2);
    });

    it('rolls its workers to another template', async () => {
      const { apply, ok } = installation();
      const before = (await running(installation())).map(({ id }) => id);
      await apply(
        JSON.stringify({
          apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
          kind: 'AWSMachineTemplate',
          metadata: { name: 'larger' },
          spec: {
            template: {
              spec: { instanceType: 'm5.large', iamInstanceProfile: 'nodes.cluster-api-provider-aws.sigs.k8s.io' },
            },
          },
        }),
      );
      const patch = '{"spec":{"template":{"spec":{"infrastructureRef":{"name":"larger"}}}}}';
      await ok('patch', 'machinedeployment', `${name}-workers`, '--type=merge', '-p', patch);
      const fresh = async () => (await running(installation())).filter(({ id }) => !before.includes(id));
      await installation().until(
        'a new worker, and the old one gone',
        async () => [(await fresh()).length, (await running(installation())).length],
        ([more, all]) => more === 1 && all === 2,
      );
      await settled(installation(), name);
    });

    etcdStory(installation, name);

    it('is deleted without remains', async () => {
      await deleted(installation(), manifest());
    });
  });
