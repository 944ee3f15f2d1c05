import { describe, expect, it } from 'vitest';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import type { Machine } from '../machine/index.ts';
import { controlPlaneQueries } from './plain-control-plane.ts';

const judged = (machineVersion: string | undefined, version: string | undefined, before?: Partial<Condition>) => {
  const apiVersion = 'controlplane.cluster.x-k8s.io/v1';
  const controlPlane = {
    apiVersion,
    kind: 'ForeignControlPlane',
    metadata: { name: 'c' },
    spec: { version },
  } as KubeObject;
  const machine = {
    metadata: { name: 'm' },
    spec: { version: machineVersion },
    status: { conditions: before ? [{ type: 'UpToDate', ...before }] : [] },
  } as unknown as Machine;
  const facts = { machine, controlPlane, snapshot: undefined, infraMachine: undefined, bootstrapConfig: undefined };
  return controlPlaneQueries(controlPlane, [])
    .machineConditions({ ...facts, now: 0 })
    .map(({ status }) => status);
};

describe('a Machine of a foreign control plane', () => {
  it.each<{ rule: string; of: Parameters<typeof judged>; says: string[] }>([
    { rule: 'of its version is up to date', of: ['v1.36.0', 'v1.36.0'], says: ['True'] },
    { rule: 'of another version is not', of: ['v1.35.0', 'v1.36.0'], says: ['False'] },
    {
      rule: 'is up to date again once its control plane goes back',
      of: ['v1.35.0', 'v1.35.0', { status: 'False', message: 'Version v1.35.0, v1.36.0 required' }],
      says: ['True'],
    },
    {
      rule: 'keeps the difference that its own controller reports',
      of: ['v1.36.0', 'v1.36.0', { status: 'False', message: 'Flavour differs' }],
      says: [],
    },
    { rule: 'is not judged without a version', of: [undefined, 'v1.36.0'], says: [] },
  ])('$rule', ({ of, says }) => expect(judged(...of)).toEqual(says));
});
