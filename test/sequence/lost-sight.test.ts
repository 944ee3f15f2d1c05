/** Users change the labels and owners by which a controller finds its objects; the controller still counts them. */
import { describe, expect, it } from 'vitest';
import type { KubeObject, OwnerReference } from '../../machinery/api/object.ts';
import { deployment } from './toys.ts';
import { createWorld } from './world.ts';

const replicas = 2;
const cluster = 'cluster.x-k8s.io/cluster-name';
const deploymentName = 'cluster.x-k8s.io/deployment-name';
const setName = 'cluster.x-k8s.io/set-name';
const hash = 'machine-template-hash';

const labelled = (labels: Record<string, string | null>) => () => ({ metadata: { labels } });
const without = ({ metadata }: KubeObject) => ({
  metadata: { labels: Object.fromEntries(Object.keys(metadata.labels ?? {}).map((key) => [key, null])) },
});
const ownedBy =
  (change: (owner: OwnerReference) => object) =>
  ({ metadata }: KubeObject) => ({
    metadata: { ownerReferences: metadata.ownerReferences!.map(change) },
  });
const orphaned = () => ({ metadata: { ownerReferences: null } });

interface Edit {
  rule: string;
  kind: 'Machine' | 'MachineSet';
  patch: (object: KubeObject) => object;
}
const edits: Edit[] = [
  { rule: 'all labels of a Machine are removed', kind: 'Machine', patch: without },
  {
    rule: 'a Machine gets the label of another deployment',
    kind: 'Machine',
    patch: labelled({ [deploymentName]: 'x' }),
  },
  { rule: 'a Machine gets the label of another set', kind: 'Machine', patch: labelled({ [setName]: 'x' }) },
  { rule: 'a Machine gets another template hash', kind: 'Machine', patch: labelled({ [hash]: 'x' }) },
  { rule: 'a Machine gets the label of another cluster', kind: 'Machine', patch: labelled({ [cluster]: 'x' }) },
  { rule: 'a Machine loses its owner', kind: 'Machine', patch: orphaned },
  {
    rule: 'a Machine keeps its owner without controller',
    kind: 'Machine',
    patch: ownedBy((owner) => ({ ...owner, controller: false })),
  },
  { rule: 'all labels of a MachineSet are removed', kind: 'MachineSet', patch: without },
  {
    rule: 'a MachineSet gets the label of another deployment',
    kind: 'MachineSet',
    patch: labelled({ [deploymentName]: 'x' }),
  },
  { rule: 'a MachineSet gets another template hash', kind: 'MachineSet', patch: labelled({ [hash]: 'x' }) },
  { rule: 'a MachineSet gets the label of another cluster', kind: 'MachineSet', patch: labelled({ [cluster]: 'x' }) },
  { rule: 'a MachineSet loses its owner', kind: 'MachineSet', patch: orphaned },
  {
    rule: 'a MachineSet selects a label that its Machines lack',
    kind: 'MachineSet',
    patch: () => ({
      spec: { selector: { matchLabels: { color: 'blue' } }, template: { metadata: { labels: { color: 'blue' } } } },
    }),
  },
];

describe('no Machine is created twice', () => {
  it.each(edits)('when $rule, repeatedly', async ({ kind, patch }) => {
    const world = await createWorld({ seed: 0 });
    const few = (machines: unknown[]) => expect(machines.length).toBeLessThanOrEqual(replicas);
    await world.apply(deployment({ replicas }));
    await world.settle(few);
    const uids = async () => (await world.get('machines')).map(({ metadata }) => metadata.uid).sort();
    const before = await uids();
    const of = kind === 'Machine' ? 'machines' : 'sets';
    const labelsOf = async () => (await world.get(of)).map(({ metadata }) => metadata.labels);
    const labels = await labelsOf();
    for (let times = 0; times < 3; times++) {
      for (const object of await world.get(of)) await world.edit(kind, object.metadata.name, patch(object));
      await world.settle(few);
    }
    expect(await uids()).toEqual(before);
    expect(await world.get('sets')).toHaveLength(1);
    for (const [i, one] of (await labelsOf()).entries()) expect(one).toMatchObject(labels[i]!);
    const owners = (await world.get(of)).map(({ metadata }) => metadata.ownerReferences?.map((one) => one.controller));
    expect(owners).toEqual(labels.map(() => [true]));
  });
});

it('a Machine that its set controls but never selects counts, is reported, and is deleted with the set', async () => {
  const world = await createWorld({ seed: 0 });
  await world.apply(
    deployment({
      replicas: 1,
      selector: { matchExpressions: [{ key: 'quarantined', operator: 'DoesNotExist' }] },
    }),
  );
  await world.settle();
  const [machine] = await world.get('machines');
  const { name } = machine!.metadata;
  await world.edit('Machine', name, { metadata: { labels: { quarantined: 'true' } } });
  await world.settle((machines) => expect(machines).toHaveLength(1));
  const conditionsOf = async () => {
    const [set] = await world.get('sets');
    const { conditions } = set?.status as { conditions: { type: string; message: string }[] };
    return conditions.filter(({ type }) => type === 'MachinesSelected').map(({ message }) => message);
  };
  expect(await conditionsOf()).toEqual([
    `spec.selector does not match the labels of ${name}: each still counts towards spec.replicas`,
  ]);
  await world.edit('Machine', name, { metadata: { labels: { quarantined: null } } });
  await world.settle();
  expect(await conditionsOf()).toEqual([]);
  await world.edit('Machine', name, { metadata: { labels: { quarantined: 'true' } } });
  await world.remove();
  await world.settle();
  expect(await world.get('machines')).toEqual([]);
});
