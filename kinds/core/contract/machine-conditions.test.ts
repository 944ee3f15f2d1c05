import { expect, it } from 'vitest';
import type { Machine } from '../machine/schema.ts';
import { runsAsWanted } from './machine-conditions.ts';

it.each([
  { kubelet: 'v1.35.0', reason: 'UpToDate' },
  { kubelet: 'v1.35.2-eks-113cf36', reason: 'UpToDate' },
  { kubelet: 'v1.34.2-eks-113cf36', reason: 'Updating' },
  { kubelet: 'v1.35.1', reason: 'Updating' },
  { kubelet: undefined, reason: 'UpToDate' },
])('a Machine of v1.35.0 with a kubelet of $kubelet is $reason', ({ kubelet, reason }) => {
  const machine = { spec: { version: 'v1.35.0' } } as Machine;
  expect(runsAsWanted(machine, kubelet).reason).toBe(reason);
});
