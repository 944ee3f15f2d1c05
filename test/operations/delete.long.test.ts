/** Deleting a cluster: at every step of its creation, in every manner, and with blocking resources of another owner. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CloudInput } from '../../kinds/ports/cloud.ts';
import { remains } from '../system/checks.ts';
import type { Moment } from '../system/world.ts';
import { type Rehearsal, rehearse, sceneFrom } from './rehearsal.ts';
import { clusterName, manifest, type Scene, setScene } from './scene.ts';

const timeout = 300_000;
const region = 'eu-central-1';

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await rehearse();
}, timeout);
let scene: Scene;
afterEach(() => scene.world.end());

/** The last phase of each operation, including operations deleted with their Cluster. */
const watchPhases = (): Map<string, string> => {
  const phases = new Map<string, string>();
  scene.world.onCommit(({ object }) => {
    const { phase } = (object?.status ?? {}) as { phase?: string };
    if (object?.kind === 'ClusterOperation' && phase) phases.set(object.metadata.name, phase);
  });
  return phases;
};
const gone = () => scene.world.until('nothing remains', () => remains(scene.world).length === 0, 60);
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
    scene = await setScene();
    await scene.apply();
    for (const step of steps) {
      const isAt = () => scene.operation()?.status?.steps?.some(({ name }) => name === step) === true;
      await scene.world.until(step, isAt, 30);
      const isRunning = scene.phase() === 'Running';
      const moment: Moment = scene.world.moment();
      scene = await sceneFrom(moment);
      const phases = watchPhases();
      await scene.world.remove('Cluster', clusterName);
      await gone();
      expect(phases.get(`${clusterName}-delete-1`), step).toBe('Succeeded');
      if (isRunning) expect(phases.get(`${clusterName}-create-1`), step).toBe('Cancelled');
      scene.world.end();
      scene = await sceneFrom(moment);
    }
  });

  it('of a protected cluster is refused, and explains how to lift the protection', { timeout }, async () => {
    scene = await sceneFrom(rehearsal.settled);
    await scene.annotate({ 'capstan.dev/protected': 'true' });
    const refused = await scene.world.remove('Cluster', clusterName);
    expect(refused.code).toBe(403);
    expect(refused.body.message).toContain(`kubectl annotate cluster/${clusterName} capstan.dev/protected- -n default`);
    await scene.world.pass(5);
    expect(scene.world.find('Cluster', clusterName)?.metadata.deletionTimestamp).toBeUndefined();
    expect(scene.operations().map(({ spec }) => spec?.type)).toEqual(['create']);
    await scene.annotate({ 'capstan.dev/protected': null });
    expect((await scene.world.remove('Cluster', clusterName)).code).toBe(200);
    await gone();
  });

  it.each(['Foreground', 'Orphan', 'Background'])(
    'with propagation %s ends with nothing',
    { timeout },
    async (policy) => {
      scene = await sceneFrom(rehearsal.settled);
      const phases = watchPhases();
      await scene.world.request('DELETE', clusterPath, { propagationPolicy: policy });
      await scene.world.until('the Cluster is gone', () => !scene.world.find('Cluster', clusterName), 60);
      // Orphaning removes the operation's owner, too; another operation takes over.
      const deletes = [...phases].filter(([name]) => name.startsWith(`${clusterName}-delete-`));
      expect(deletes.at(-1)?.[1]).toBe('Succeeded');
      expect(scene.world.live()).toEqual([]);
      await scene.world.pass(5);
      expect(remains(scene.world)).toEqual([]);
    },
  );

  it('of the namespace ends a running create', { timeout }, async () => {
    scene = await setScene();
    const { world } = scene;
    await world.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    for (const { metadata, ...object } of manifest)
      await world.apply({ ...object, metadata: { ...metadata, namespace: 'team' } });
    await world.until('a machine', () => world.live('instance').length > 0, 30);
    await world.remove('Namespace', 'team');
    await world.until('the namespace is gone', () => !world.find('Namespace', 'team'), 60);
    expect(remains(world)).toEqual([]);
    expect(scene.operations()).toEqual([]);
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
) => scene.world.system.account.call(region, action, input);
const one = (type: string): string => scene.world.live(type)[0]!.id;

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
      const { Images = [] } = await scene.world.system.account.call(region, 'DescribeImages', {});
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
    scene = await sceneFrom(rehearsal.settled);
    const { id, leave } = await intrude();
    const phases = watchPhases();
    await scene.world.remove('Cluster', clusterName);
    await scene.world.until('held', () => scene.phase('delete') === 'Held', 15);
    await scene.world.pass(1);
    expect(scene.operation('delete')?.status?.message).toMatch(id);
    expect(scene.world.condition('Cluster', clusterName, 'Deleting')?.message).toMatch(id);
    await scene.world.pass(120);
    expect(scene.phase('delete')).toBe('Held');
    expect(scene.operation('delete')?.status?.message).toMatch(id);
    await leave();
    await gone();
    expect(phases.get(`${clusterName}-delete-1`)).toBe('Succeeded');
  });
});
