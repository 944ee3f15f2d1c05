import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { at, conditionWith, objectOf } from '../cluster-operation/operation.fixture.ts';
import { lostIn, nextLost, replacementOf, type Serving, youngerThan } from './younger.ts';

const worker = (
  name: string,
  {
    conditions = [] as object[],
    set = 'w',
    ...metadata
  }: { conditions?: object[]; set?: string; [of: string]: unknown } = {},
): KubeObject =>
  objectOf('Machine', name, {
    metadata: {
      creationTimestamp: at(-3600),
      ownerReferences: [
        { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', name: set, uid: set, controller: true },
      ],
      ...metadata,
    },
    status: { conditions },
  });
const gone = [conditionWith('NodeReady', 'False', { reason: 'NodeDeleted' })];
const lost = (name: string, more: object = {}) => worker(name, { conditions: gone, ...more });
const well = (name: string, more: object = {}) =>
  worker(name, { conditions: [conditionWith('Available', 'True')], ...more });
const began = at(0);
/** The cluster answers since four minutes after the restore began. */
const serving = (minutes: number): Serving => ({
  completedAt: at(-7200),
  stoppedAt: at(0),
  servesSince: at(240),
  now: Date.parse(at(240 + minutes * 60)),
});
const booting = (name: string, more: { creationTimestamp?: string } = {}) => ({
  ...worker(name, more),
  spec: { providerID: 'aws:///zone/i-1' },
});

const poolOf = (machines: KubeObject[], maxUnavailable?: number | string) => ({
  object: objectOf('MachineDeployment', 'w', {
    spec: { replicas: machines.length, rollout: { strategy: { rollingUpdate: { maxUnavailable } } } },
  }),
  updated: machines,
  outdated: [],
});

describe('the replacement of workers that a snapshot lacks', () => {
  it.each<{ rule: string; machines: KubeObject[]; most?: number | string; deletes: string[] }>([
    { rule: 'takes one at a time', machines: [lost('b'), lost('a'), lost('c')], most: 0, deletes: ['a'] },
    {
      rule: 'takes as many as may be unavailable',
      machines: [lost('a'), lost('b'), lost('c')],
      most: 2,
      deletes: ['a', 'b'],
    },
    { rule: 'takes a share', machines: [lost('a'), lost('b'), lost('c'), well('d')], most: '50%', deletes: ['a', 'b'] },
    {
      rule: 'waits for one in deletion',
      machines: [lost('a', { deletionTimestamp: at(5) }), lost('b')],
      most: 1,
      deletes: [],
    },
    {
      rule: 'waits for a replacement that is not available yet',
      machines: [worker('new', { creationTimestamp: at(60) }), lost('b')],
      most: 1,
      deletes: [],
    },
    {
      rule: 'does not wait for a worker that was broken before',
      machines: [worker('broken'), lost('b')],
      most: 1,
      deletes: ['b'],
    },
    {
      rule: 'goes on once a replacement serves',
      machines: [well('new', { creationTimestamp: at(60) }), lost('b')],
      deletes: ['b'],
    },
    { rule: 'leaves Machines of users', machines: [lost('own', { ownerReferences: [] })], deletes: [] },
  ])('$rule', ({ machines, most, deletes }) =>
    expect(
      nextLost(machines, began, [poolOf(machines, most)], serving(5)).map(({ metadata }) => metadata.name),
    ).toEqual(deletes));

  it('goes on in every pool', () => {
    const [first, second] = [
      [lost('a'), lost('b')],
      [lost('c', { set: 'x' }), lost('d', { set: 'x' })],
    ];
    const next = nextLost([...first, ...second], began, [poolOf(first)], serving(5));
    expect(next.map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
  });
});

describe('workers that tried to join while no API server answered', () => {
  it.each([
    { rule: 'have ten minutes to join', machine: booting('a'), minutes: 9, isLost: false },
    { rule: 'are replaced afterwards', machine: booting('a'), minutes: 10, isLost: true },
    {
      rule: 'stay if they joined',
      machine: { ...booting('a'), status: { nodeRef: { name: 'a' } } },
      minutes: 60,
      isLost: false,
    },
    { rule: 'stay without a host, which will wait to join', machine: worker('a'), minutes: 60, isLost: false },
    {
      rule: 'are not those created after the members stopped',
      machine: booting('a', { creationTimestamp: at(60) }),
      minutes: 60,
      isLost: false,
    },
    {
      rule: 'are not those that the snapshot is younger than',
      machine: booting('a', { creationTimestamp: at(-7201) }),
      minutes: 60,
      isLost: false,
    },
  ])('$rule', ({ machine, minutes, isLost }) =>
    expect(lostIn([machine], serving(minutes))).toEqual(isLost ? [machine] : []));
});

describe('workers younger than a snapshot', () => {
  it('are those created after it, without control planes', () => {
    const controlPlane = objectOf('Machine', 'p', {
      metadata: { creationTimestamp: at(60), labels: { 'cluster.x-k8s.io/control-plane': '' } },
    });
    const machines = [well('old'), well('new', { creationTimestamp: at(60) }), controlPlane];
    expect(youngerThan(machines, at(0)).map(({ metadata }) => metadata.name)).toEqual(['new']);
  });
  it('are named with what happens to them', () => {
    expect(replacementOf([])).toBeUndefined();
    expect(replacementOf([well('a')])).toBe(
      '1 worker is younger than the snapshot and will be replaced at the end, in each pool as many at once as its maxUnavailable says and at least one, because the snapshot has no Nodes of it: a',
    );
  });
});
