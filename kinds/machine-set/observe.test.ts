import { expect, it } from 'vitest';
import type { Reader } from '../../machinery/api/reconcile.ts';
import { observe } from './observe.ts';
import type { MachineSet } from './schema.ts';

it('looks among what is of its own cluster, whatever labels others carry', () => {
  const asked: unknown[] = [];
  const reader: Reader = {
    get: () => ({ state: 'absent' }),
    list: (_, where) => {
      asked.push(where);
      return { state: 'found', value: [] };
    },
    ask: () => ({ state: 'absent' }),
  };
  const selector = { matchLabels: { of: 'workers' } };
  const template = {
    spec: {
      clusterName: 'c',
      bootstrap: { configRef: { apiGroup: 'b', kind: 'ConfigTemplate', name: 't' } },
      infrastructureRef: { apiGroup: 'i', kind: 'HostTemplate', name: 't' },
    },
  };
  const machineSet = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineSet',
    metadata: { name: 'set', namespace: 'default', uid: 'set' },
    spec: { clusterName: 'c', replicas: 1, selector, template },
  } as MachineSet;
  observe(machineSet, reader);
  const ours = { namespace: 'default', cluster: 'c', labels: selector };
  expect(asked).toEqual([ours, ours, ours]);
});
