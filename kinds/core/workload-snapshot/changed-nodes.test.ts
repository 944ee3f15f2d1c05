import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { changedNodes } from './changed-nodes.ts';

const node = (name: string, isReady = false, labels = {}) => ({ name, providerID: `aws:///${name}`, isReady, labels });
const member = (name: string, isReady = false) => node(name, isReady, { 'node-role.kubernetes.io/control-plane': '' });
const pod = (on: string, isReady = false) => ({ component: 'etcd', node: on, isReady });
const seen = (nodes: object[], controlPlanePods: object[] = [], more: object = {}): KubeObject => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'WorkloadSnapshot',
  metadata: { name: 'demo' },
  spec: { reachable: true, nodes, controlPlanePods, ...more },
});

it.each<{ whom: string; before: KubeObject; after: KubeObject; about: string[] | undefined }>([
  {
    whom: 'a node that came, and one that changed',
    before: seen([node('a'), node('b')]),
    after: seen([node('a'), node('b', true), node('c')]),
    about: ['aws:///b', 'aws:///c'],
  },
  { whom: 'a node that went', before: seen([node('a'), node('b')]), after: seen([node('a')]), about: ['aws:///b'] },
  {
    whom: 'a node whose pod changed',
    before: seen([node('a'), node('b')], [pod('a'), pod('b')]),
    after: seen([node('a'), node('b')], [pod('a'), pod('b', true)]),
    about: ['aws:///b', 'control-plane'],
  },
  {
    whom: 'a node that lost its pod',
    before: seen([node('a')], [pod('a')]),
    after: seen([node('a')]),
    about: ['aws:///a', 'control-plane'],
  },
  {
    whom: 'a pod on no node that is known',
    before: seen([node('a')]),
    after: seen([node('a')], [pod('b')]),
    about: ['b', 'control-plane'],
  },
  {
    whom: 'a node of the control plane that changed',
    before: seen([member('a'), node('b')]),
    after: seen([member('a', true), node('b')]),
    about: ['aws:///a', 'control-plane'],
  },
  {
    whom: 'a node that became one of the control plane',
    before: seen([node('a')]),
    after: seen([member('a')]),
    about: ['aws:///a', 'control-plane'],
  },
  {
    whom: 'a node that is one of the control plane no more',
    before: seen([member('a')]),
    after: seen([node('a')]),
    about: ['aws:///a', 'control-plane'],
  },
  {
    whom: 'one of two nodes of one machine, which was registered under another name',
    before: seen([node('a'), { ...node('b'), providerID: 'aws:///a' }]),
    after: seen([node('a', true), { ...node('b'), providerID: 'aws:///a' }]),
    about: ['aws:///a'],
  },
  {
    whom: 'a worker beside the control plane',
    before: seen([member('a'), node('b')], [pod('a')]),
    after: seen([member('a'), node('b', true)], [pod('a')]),
    about: ['aws:///b'],
  },
  {
    whom: 'everybody, when more changed',
    before: seen([node('a')]),
    after: seen([], [], { failures: 1 }),
    about: undefined,
  },
])('is about $whom', ({ before, after, about }) => expect(changedNodes(before, after)).toEqual(about));
