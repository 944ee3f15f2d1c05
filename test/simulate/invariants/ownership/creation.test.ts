import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { type CloudCall, type Setting, Violation } from '../rule.ts';
import { creation } from './creation.ts';

const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c', uid: 'uid-of-c' };
const one = (kind: string, name: string, finalizers: string[]) =>
  ({
    apiVersion: 'v1',
    kind,
    metadata: {
      namespace: 'default',
      name,
      finalizers,
      ...(kind === 'Cluster' ? { uid: owner.uid } : { ownerReferences: [owner] }),
    },
  }) as KubeObject;

const launch = (more: Record<string, string>) => {
  const tags = { 'capstan.dev/installation': 'here', 'capstan.dev/cluster-uid': owner.uid, ...more };
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  const TagSpecifications = ['instance', 'volume', 'network-interface'].map((ResourceType) => ({ ResourceType, Tags }));
  return { action: 'RunInstances', input: { TagSpecifications }, happened: true } as unknown as CloudCall;
};
const ofMachine = { MachineName: 'default/m' };
const bastion = { 'capstan.dev/purpose': 'bastion' };

describe('an instance is held by a finalizer before it is launched', () => {
  it.each([
    { rule: 'accepts a finalizer of its machine', tags: ofMachine, held: ['AWSMachine'], holds: true },
    { rule: 'rejects a finalizer of the network only', tags: ofMachine, held: ['AWSCluster'], holds: false },
    { rule: 'accepts a finalizer of the network for a bastion', tags: bastion, held: ['AWSCluster'], holds: true },
    { rule: 'rejects a finalizer of a machine for a bastion', tags: bastion, held: ['AWSMachine'], holds: false },
    { rule: 'rejects an instance without an owner', tags: {}, held: ['AWSCluster', 'AWSMachine'], holds: false },
  ])('$rule', ({ tags, held, holds }) => {
    const finalizersOf = (kind: string) => (held.includes(kind) ? ['toys.example/x'] : []);
    const there = [
      one('Cluster', 'c', []),
      one('AWSCluster', 'c', finalizersOf('AWSCluster')),
      one('AWSMachine', 'm', finalizersOf('AWSMachine')),
    ];
    const setting = { world: { mirror: { everything: () => there } } } as unknown as Setting;
    const look = () => creation(setting, (message) => new Violation('creation', message)).onCall?.(launch(tags));
    if (holds) expect(look).not.toThrow();
    else expect(look).toThrow('before a finalizer is written');
  });
});
