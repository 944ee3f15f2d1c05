import { describe, expect, it } from 'vitest';
import { drainHook, hookChanges, hooksOf } from './hooks.ts';

const spec = (...lifecycleHooks: object[]) =>
  ({ minSize: 1, maxSize: 1, awsLaunchTemplate: {}, lifecycleHooks }) as Parameters<typeof hooksOf>[0];
const mine = { name: 'mine', lifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING', heartbeatTimeout: '1m' };
const there = hooksOf(spec(mine));
const changes = (wanted: ReturnType<typeof hooksOf>, has = there, noted = [drainHook, 'mine']) => {
  const { put, remove } = hookChanges(wanted, has, noted);
  return { put: put.map(({ LifecycleHookName }) => LifecycleHookName), remove };
};

describe('hooks', () => {
  it('are Capstan’s own and those of the spec, with Auto Scaling’s defaults', () =>
    expect(there).toMatchObject([
      { LifecycleHookName: drainHook, DefaultResult: 'CONTINUE' },
      { LifecycleHookName: 'mine', DefaultResult: 'ABANDON', HeartbeatTimeout: 60 },
    ]));

  it.each([
    { rule: 'stay as they are', wanted: there, does: { put: [], remove: [] } },
    { rule: 'are put where they are missing', wanted: there, has: [], does: { put: [drainHook, 'mine'], remove: [] } },
    {
      rule: 'are put again where they differ',
      wanted: hooksOf(spec({ ...mine, heartbeatTimeout: '2m' })),
      does: { put: ['mine'], remove: [] },
    },
    { rule: 'are removed with the spec', wanted: hooksOf(spec()), does: { put: [], remove: ['mine'] } },
    {
      rule: 'of others stay',
      wanted: hooksOf(spec()),
      noted: [drainHook],
      does: { put: [], remove: [] },
    },
  ])('$rule', ({ wanted, has, noted, does }) => expect(changes(wanted, has, noted)).toEqual(does));
});
