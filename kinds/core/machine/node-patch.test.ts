import { describe, expect, it } from 'vitest';
import { mergePatch } from '../../../machinery/api/merge.ts';
import type { JsonObject } from '../../../machinery/api/object.ts';
import { machine } from './machine.fixture.ts';
import { type NodeView, nodePatch } from './node-patch.ts';

type Texts = Record<string, string>;
interface Parts {
  labels?: Texts;
  annotations?: Texts;
}

const owners = (metadata: Parts & { ownerReferences?: never[] }) => {
  const one = machine({});
  return {
    machine: { ...one, metadata: { ...one.metadata, ...metadata } },
    machineSet: undefined,
    machineDeployment: undefined,
    infraMachine: undefined,
  };
};
const synced = (node: Parts, from: Parameters<typeof owners>[0]): NodeView => {
  const view = { labels: {}, annotations: {}, taints: [], ...node };
  const { metadata } = nodePatch(view, owners(from)) ?? {};
  return { ...view, ...(mergePatch(view as unknown as JsonObject, (metadata ?? {}) as JsonObject) as object) };
};
const notes = ['labels', 'annotations', 'taints'].map((part) => `cluster.x-k8s.io/${part}-from-machine`);
const others = (annotations: Texts): Texts =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith('cluster.x-k8s.io/')));

describe('labels of a Machine on its Node', () => {
  it.each([
    'node-role.kubernetes.io/worker',
    'node-restriction.kubernetes.io/zone',
    'team.node-restriction.kubernetes.io/zone',
    'node.cluster.x-k8s.io/tier',
    'team.node.cluster.x-k8s.io/tier',
    'node.cluster.x-k8s.io',
    'team.node.cluster.x-k8s.io',
    'team.node-restriction.kubernetes.io',
    'node-role.kubernetes.io',
  ])('include %s', (key) => {
    const node = synced({}, { labels: { [key]: 'a' } });
    expect(node.labels).toEqual({ [key]: 'a' });
    expect(node.annotations[notes[0]!]).toBe(key);
    expect(synced(node, { labels: {} }).labels).toEqual({});
  });
  it.each([
    'team.node-role.kubernetes.io/worker',
    'anode.cluster.x-k8s.io/tier',
    'cluster.x-k8s.io/cluster-name',
    'tier',
    'example.com/node.cluster.x-k8s.io',
  ])('leave out %s', (key) => {
    const node = synced({ labels: { [key]: 'own' } }, { labels: { [key]: 'a' } });
    expect(node.labels).toEqual({ [key]: 'own' });
  });
});

describe('annotations of a Machine on its Node', () => {
  it.each([
    'node.cluster.x-k8s.io/a',
    'team.node.cluster.x-k8s.io/a',
    'node.cluster.x-k8s.io',
    'b.node.cluster.x-k8s.io',
  ])('include %s', (key) => {
    const node = synced({}, { annotations: { [key]: 'a' } });
    expect(others(node.annotations)).toEqual({ [key]: 'a' });
    expect(node.annotations[notes[1]!]).toBe(key);
    expect(others(synced(node, { annotations: { [key]: 'b' } }).annotations)).toEqual({ [key]: 'b' });
    expect(others(synced(node, { annotations: {} }).annotations)).toEqual({});
  });
  it.each([
    'node-restriction.kubernetes.io/a',
    'node-role.kubernetes.io/a',
    'example.com/a',
    'a',
  ])('leave out %s', (key) => {
    const node = synced({ annotations: { [key]: 'own' } }, { annotations: { [key]: 'a' } });
    expect(others(node.annotations)).toEqual({ [key]: 'own' });
    expect(node.annotations[notes[1]!]).toBe('');
  });
  it('name the controller while the Machine has one', () => {
    const kind = 'cluster.x-k8s.io/owner-kind';
    const node = synced({}, {});
    expect(node.annotations[kind]).toBe('MachineSet');
    const { annotations } = synced(node, { ownerReferences: [] });
    expect(annotations).not.toHaveProperty([kind]);
    expect(annotations).not.toHaveProperty(['cluster.x-k8s.io/owner-name']);
  });
  it('are not written again once they are set', () => {
    const from = { labels: { 'node-role.kubernetes.io/worker': '' }, annotations: { 'node.cluster.x-k8s.io/a': '' } };
    expect(nodePatch(synced({}, from), owners(from))).toBeUndefined();
  });
});
