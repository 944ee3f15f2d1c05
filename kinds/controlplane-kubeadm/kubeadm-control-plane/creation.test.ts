import { expect, it } from 'vitest';
import { a, controlPlaneOf } from './control-plane.fixture.ts';
import { continueCreation } from './creation.ts';
import { annotations } from './names.ts';

const lock = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', uid: 'n', resourceVersion: '1' } };
const quota = (used: number) => ({ most: 3, used, source: 'the quota', lock });
/** A control plane that has recorded the name of its second Machine. */
const begun = (used: number) => {
  const controlPlane = controlPlaneOf({ machines: [a], replicas: 3 });
  const { metadata } = controlPlane.kcp;
  const noted = { [annotations.creating]: JSON.stringify({ name: 'next', init: false }) };
  const kcp = { ...controlPlane.kcp, metadata: { ...metadata, annotations: { ...metadata.annotations, ...noted } } };
  return continueCreation({ ...controlPlane, kcp, quotas: [quota(used)] });
};

it('creates the recorded Machine after a claim on its quota', () => {
  const { actions = [] } = begun(2)!;
  expect(actions[0]).toMatchObject({ do: 'patch', kind: 'Namespace' });
  expect(actions.slice(1).map((action) => action.do)).toContain('create');
});

it('withdraws the recorded name when its claim was refused because others used up the quota', () => {
  const plan = begun(3)!;
  expect(plan.actions ?? []).toEqual([]);
  expect(plan.intent).toEqual({ metadata: { annotations: { [annotations.creating]: null } } });
});
