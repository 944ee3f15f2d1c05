import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context, Read, Reader, Where } from '../../../machinery/api/reconcile.ts';
import { observe } from './observe.ts';
import type { Machine } from './schema.ts';

const controlPlane = { kind: 'KubeadmControlPlane', metadata: { name: 'cp', uid: 'cp-uid' } };
const objects: Record<string, object> = {
  'Cluster c': {
    kind: 'Cluster',
    metadata: { name: 'c' },
    spec: { controlPlaneRef: { kind: controlPlane.kind, name: 'cp' } },
  },
  [`${controlPlane.kind} cp`]: controlPlane,
};
const ofControlPlane = (deletionTimestamp?: string) => ({
  metadata: {
    name: 'm0',
    labels: { 'cluster.x-k8s.io/control-plane': '' },
    ...(deletionTimestamp && { deletionTimestamp }),
  },
});
const going = {
  metadata: { name: 'm', namespace: 'default', deletionTimestamp: '2026-01-01T00:00:00Z' },
  spec: { clusterName: 'c', bootstrap: {}, infrastructureRef: { kind: 'Host', name: 'm' } },
} as unknown as Machine;

/** The lists of all rounds of reads; each round answers the requests of the previous one. */
const listsOf = (owned: object[]): Where[] => {
  const answers = new Map<string, Read<unknown>>();
  const lists: Where[] = [];
  for (let asked = 1; asked > 0; ) {
    asked = 0;
    const need = (id: string, answer: () => Read<unknown>) => {
      const known = answers.get(id);
      if (known) return known;
      asked++;
      answers.set(id, answer());
      return { state: 'unread' };
    };
    const reader = {
      get: (kind: string, { name }: { name: string }) =>
        need(`${kind} ${name}`, () => {
          const value = objects[`${kind} ${name}`] as KubeObject | undefined;
          return value ? { state: 'found', value } : { state: 'absent' };
        }),
      list: (kind: string, where: Where) =>
        need(`${kind} ${JSON.stringify(where)}`, () => {
          lists.push(where);
          return { state: 'found', value: owned };
        }),
    } as unknown as Reader;
    observe(going, reader, { now: 0, config: {} } as Context);
  }
  return lists;
};

it.each([
  { rule: 'reads the Machines of its control plane only', owned: [ofControlPlane()], lists: [{ owner: 'cp-uid' }] },
  {
    rule: 'reads all Machines when these are not sufficient',
    owned: [ofControlPlane('2026-01-01T00:00:00Z')],
    lists: [{ owner: 'cp-uid' }, { cluster: 'c' }],
  },
])('a Machine in deletion $rule', ({ owned, lists }) => {
  expect(listsOf(owned)).toEqual(lists.map((where) => ({ namespace: 'default', ...where })));
});
