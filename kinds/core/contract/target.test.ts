import { expect, it } from 'vitest';
import { directionOf, operationAnnotations } from './target.ts';

const cluster = (annotations: Record<string, string>) => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'demo', annotations },
});
const built = { [operationAnnotations.target]: 'Build', [operationAnnotations.operation]: 'demo-create-1' };
const notAdmitted = { [operationAnnotations.operation]: 'demo-create-1' };
const available = { [operationAnnotations.wasAvailable]: 'true' };

it('a pause in the spec is another direction', () => {
  const paused = { ...cluster(built), spec: { paused: true } };
  expect(directionOf(paused)).not.toEqual(directionOf(cluster(built)));
});

it.each<{ rule: string; from: Record<string, string>; to: Record<string, string>; isOther: boolean }>([
  { rule: 'admission is another direction', from: notAdmitted, to: built, isOther: true },
  { rule: 'a pause is another direction', from: built, to: { ...built, 'cluster.x-k8s.io/paused': '' }, isOther: true },
  { rule: 'becoming Available without admission is another direction', from: {}, to: available, isOther: true },
  { rule: 'the name that members repeat is another direction', from: {}, to: notAdmitted, isOther: true },
  { rule: 'becoming Available as built is not', from: built, to: { ...built, ...available }, isOther: false },
  {
    rule: 'the next operation of an existing cluster is not',
    from: { ...built, ...available },
    to: { ...built, ...available, [operationAnnotations.operation]: 'demo-delete-1' },
    isOther: false,
  },
  {
    rule: 'the target of one object is another direction',
    from: built,
    to: { ...built, [operationAnnotations.objectTargets]: '{"MachineDeployment/workers":{"target":"Hold"}}' },
    isOther: true,
  },
  {
    rule: 'becoming Available while held is another direction',
    from: { ...built, [operationAnnotations.target]: 'Hold' },
    to: { ...built, [operationAnnotations.target]: 'Hold', ...available },
    isOther: true,
  },
  { rule: 'a note of another writer is not', from: built, to: { ...built, note: 'x' }, isOther: false },
])('$rule', ({ from, to, isOther }) => {
  const isSame = JSON.stringify(directionOf(cluster(from))) === JSON.stringify(directionOf(cluster(to)));
  expect(isSame).toBe(!isOther);
});
