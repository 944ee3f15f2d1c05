/** A control plane whose Machines lost their labels or owner creates no replacements for them. */
import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { annotations } from './names.ts';
import { createWorld } from './world.fixture.ts';

const all = Number.POSITIVE_INFINITY;
const unlabelled = ({ metadata }: KubeObject) => ({
  metadata: { labels: Object.fromEntries(Object.keys(metadata.labels ?? {}).map((key) => [key, null])) },
});
const edits = [
  { rule: 'loses its labels', patch: unlabelled },
  {
    rule: 'loses the control plane label',
    patch: () => ({ metadata: { labels: { 'cluster.x-k8s.io/control-plane': null } } }),
  },
  {
    rule: 'gets the label of another cluster',
    patch: () => ({ metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'x' } } }),
  },
  { rule: 'loses its owner', patch: () => ({ metadata: { ownerReferences: null } }) },
];

it.each(edits)('a Machine that $rule still counts and is repaired', async ({ patch }) => {
  const world = createWorld();
  for (let i = 0; i < 8; i++) await world.pass(all);
  const [made] = world.all('Machine');
  for (let times = 0; times < 3; times++) {
    const [machine] = world.all('Machine');
    world.replace(machine!, patch(machine!));
    for (let i = 0; i < 4; i++) await world.pass(all);
  }
  const [machine, ...others] = world.all('Machine');
  expect([machine?.metadata.name, others]).toEqual([made?.metadata.name, []]);
  expect(machine?.metadata.labels).toEqual(made?.metadata.labels);
  expect(machine?.metadata.ownerReferences).toEqual(made?.metadata.ownerReferences);
});

it.each(['KubeadmConfig', 'AWSMachine'])('a %s that loses its labels gets them back', async (kind) => {
  const world = createWorld();
  for (let i = 0; i < 8; i++) await world.pass(all);
  const [made] = world.all(kind);
  world.replace(made!, unlabelled(made!));
  for (let i = 0; i < 4; i++) await world.pass(all);
  expect(world.all(kind).map(({ metadata }) => metadata.labels)).toEqual([made?.metadata.labels]);
});

it('a Machine that loses its owner while it is created is adopted', async () => {
  const world = createWorld();
  for (let i = 0; i < 8 && world.all('Machine').length === 0; i++) await world.pass(all);
  const [machine] = world.all('Machine');
  expect(world.current().metadata.annotations?.[annotations.creating]).toContain(machine?.metadata.name);
  world.replace(machine!, { metadata: { ownerReferences: null } });
  for (let i = 0; i < 4; i++) await world.pass(all);
  expect(world.all('Machine').map(({ metadata }) => metadata.ownerReferences?.[0]?.name)).toEqual(['kcp']);
  expect(world.current().metadata.annotations?.[annotations.creating]).toBeUndefined();
});
