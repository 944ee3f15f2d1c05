/** Deleting a cluster: at every step of its creation, in every manner, and with blocking resources of another owner. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CloudInput } from '../../kinds/ports/cloud/index.ts';
import { remains } from '../system/checks.ts';
import type { Moment } from '../system/world.ts';
import { type ClusterUnderTest, clusterName, createCluster, manifest } from './cluster-under-test.ts';
import { createClusterFrom, type Rehearsal, rehearse } from './rehearsal.ts';

const timeout = 300_000;
const region = 'eu-central-1';

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await rehearse();
}, timeout);
let cluster: ClusterUnderTest;
afterEach(() => cluster.world.end());

/** The last phase of each operation, including operations deleted with their Cluster. */
const watchPhases = (): Map<string, string> => {
  const phases = new Map<string, string>();
  cluster.world.onCommit(({ object }) => {
    const { phase } = (object?.status ?? {}) as { phase?: string };
    if (object?.kind === 'ClusterOperation' && phase) phases.set(object.metadata.name, phase);
  });
  return phases;
};
const gone = () => cluster.world.until('nothing remains', () => remains(cluster.world).length === 0, 60);
const clusterPath = `/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters/${clusterName}`;

describe('a delete', () => {
  it('cancels a create at any step, and leaves nothing', { timeout }, async () => {
    const steps = [
      'Network',
      'LoadBalancer',
      'FirstControlPlaneMachine',
      'ControlPlane',
      'Workers',
      'AddOns',
      'Available',
    ];
    cluster = await createCluster();
    await cluster.apply();
    for (const step of steps) {
      const isAt = () => cluster.operation()?.status?.steps?.some(({ name }) => name === step) === true;
      await cluster.world.until(step, isAt, 30);
      const isRunning = cluster.phase() === 'Running';
      const moment: Moment = cluster.world.moment();
      cluster = await createClusterFrom(moment);
      const phases = watchPhases();
      await cluster.world.remove('Cluster', clusterName);
      await gone();
      expect(phases.get(`${clusterName}-delete-1`), step).toBe('Succeeded');
      if (isRunning) expect(phases.get(`${clusterName}-create-1`), step).toBe('Cancelled');
      cluster.world.end();
      cluster = await createClusterFrom(moment);
    }
  });

  it('of a protected cluster is refused, and explains how to lift the protection', { timeout }, async () => {
    cluster = await createClusterFrom(rehearsal.settled);
    await cluster.annotate({ 'capstan.dev/protected': 'true' });
    const refused = await cluster.world.remove('Cluster', clusterName);
    expect(refused.code).toBe(403);
    expect(refused.body.message).toContain(`kubectl annotate cluster/${clusterName} capstan.dev/protected- -n default`);
    await cluster.world.pass(5);
    expect(cluster.world.find('Cluster', clusterName)?.metadata.deletionTimestamp).toBeUndefined();
    expect(cluster.operations().map(({ spec }) => spec?.type)).toEqual(['create']);
    await cluster.annotate({ 'capstan.dev/protected': null });
    expect((await cluster.world.remove('Cluster', clusterName)).code).toBe(200);
    await gone();
  });

  it.each(['Foreground', 'Orphan', 'Background'])(
    'with propagation %s ends with nothing',
    { timeout },
    async (policy) => {
      cluster = await createClusterFrom(rehearsal.settled);
      const phases = watchPhases();
      await cluster.world.request('DELETE', clusterPath, { propagationPolicy: policy });
      await cluster.world.until('the Cluster is gone', () => !cluster.world.find('Cluster', clusterName), 60);
      // Orphaning removes the operation's owner, too; another operation takes over.
      const deletes = [...phases].filter(([name]) => name.startsWith(`${clusterName}-delete-`));
      expect(deletes.at(-1)?.[1]).toBe('Succeeded');
      expect(cluster.world.live()).toEqual([]);
      await cluster.world.pass(5);
      expect(remains(cluster.world)).toEqual([]);
    },
  );

  it('of the namespace ends a running create', { timeout }, async () => {
    cluster = await createCluster();
    const { world } = cluster;
    await world.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    for (const { metadata, ...object } of manifest)
      await world.apply({ ...object, metadata: { ...metadata, namespace: 'team' } });
    await world.until('a machine', () => world.live('instance').length > 0, 30);
    await world.remove('Namespace', 'team');
    await world.until('the namespace is gone', () => !world.find('Namespace', 'team'), 60);
    expect(remains(world)).toEqual([]);
    expect(cluster.operations()).toEqual([]);
  });
});

interface Intruder {
  what: string;
  /** Returns its ID, and a function that deletes it. */
  intrude(): Promise<{ id: RegExp; leave: () => Promise<void> }>;
}
const call = <A extends 'CreateSecurityGroup' | 'RunInstances' | 'TerminateInstances' | 'DeleteSecurityGroup'>(
  action: A,
  input: CloudInput<A>,
) => cluster.world.system.account.call(region, action, input);
const one = (type: string): string => cluster.world.live(type)[0]!.id;

const intruders: Intruder[] = [
  {
    what: 'a security group',
    intrude: async () => {
      const made = await call('CreateSecurityGroup', {
        GroupName: 'theirs',
        Description: 'of another tool',
        VpcId: one('vpc'),
        TagSpecifications: [],
      });
      return {
        id: new RegExp(made.GroupId),
        leave: async () => void (await call('DeleteSecurityGroup', { GroupId: made.GroupId })),
      };
    },
  },
  {
    what: 'an instance with its network interface',
    intrude: async () => {
      const { Images = [] } = await cluster.world.system.account.call(region, 'DescribeImages', {});
      const made = await call('RunInstances', {
        ImageId: Images[0]!.ImageId,
        InstanceType: 't3.large',
        SubnetId: one('subnet'),
        MinCount: 1,
        MaxCount: 1,
        ClientToken: 'theirs',
        UserData: '',
        TagSpecifications: [],
      });
      const [instance] = made.Instances;
      return {
        id: new RegExp(`${instance!.InstanceId}|eni-`),
        leave: async () => void (await call('TerminateInstances', { InstanceIds: [instance!.InstanceId] })),
      };
    },
  },
];

describe('a delete that another owner’s resource blocks', () => {
  it.each(intruders)('is held and names $what, and completes when that is gone', { timeout }, async ({ intrude }) => {
    cluster = await createClusterFrom(rehearsal.settled);
    const { id, leave } = await intrude();
    const phases = watchPhases();
    await cluster.world.remove('Cluster', clusterName);
    await cluster.world.until('held', () => cluster.phase('delete') === 'Held', 15);
    await cluster.world.pass(1);
    expect(cluster.operation('delete')?.status?.message).toMatch(id);
    expect(cluster.world.condition('Cluster', clusterName, 'Deleting')?.message).toMatch(id);
    await cluster.world.pass(120);
    expect(cluster.phase('delete')).toBe('Held');
    expect(cluster.operation('delete')?.status?.message).toMatch(id);
    await leave();
    await gone();
    expect(phases.get(`${clusterName}-delete-1`)).toBe('Succeeded');
  });
});
