import { expect, it } from 'vitest';
import {
  clusterOf,
  clusterStateOf,
  conditionWith,
  found,
  objectOf,
  operationOf,
  saying,
  start,
} from '../cluster-operation/operation.fixture.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { succeeded } from '../shared/progress.ts';
import { scopeOf } from '../shared/scope.ts';
import { messages } from './messages.ts';
import { createTask } from './task.ts';

const plane = (ready: number) =>
  found(objectOf('KubeadmControlPlane', 'demo', { spec: { replicas: 3 }, status: { readyReplicas: ready } }));

it.each<{ rule: string; ready: number; says: string | undefined; ends: string }>([
  {
    rule: 'says what it did not wait for',
    ready: 1,
    says: 'not awaited: the control plane: 1 of 3 machines are ready',
    ends: 'The cluster is Available. Not finished yet: ControlPlane: the control plane: 1 of 3 machines are ready',
  },
  { rule: 'says nothing when it is done', ready: 3, says: undefined, ends: 'The cluster is Available' },
])('a step of a cluster that is Available already $rule', ({ ready, says, ends }) => {
  const cluster = clusterOf(saying(conditionWith('Available', 'True'), conditionWith('ControlPlaneAvailable', 'True')));
  const clusterState = clusterStateOf(cluster, { controlPlane: plane(ready) });
  const status: OperationStatus = { phase: 'Running', step: 'ControlPlane' };
  const operation = operationOf(status);
  const world = { clusterState, preflight: undefined };
  const scope = scopeOf(operation, operation.spec!, world, { now: start, random: {} as never });
  const outcome = createTask(scope, status, 'ControlPlane');
  const step = outcome.status.steps?.find(({ name }) => name === 'ControlPlane');
  expect(step).toMatchObject({ verdict: 'Succeeded' });
  expect(step?.message).toBe(says);
  expect(outcome.answer).toEqual({ output: {} });
  const control = { ...outcome.status, steps: outcome.status.steps?.filter(({ name }) => name === 'ControlPlane') };
  expect(messages.succeeded(succeeded(control as OperationStatus, '', start), scope)).toBe(ends);
});
