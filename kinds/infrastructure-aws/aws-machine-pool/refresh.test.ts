import { describe, expect, it } from 'vitest';
import type { AutoScalingGroup, GroupInstance, InstanceRefresh } from '../../ports/cloud/index.ts';
import { decideRefresh, outdated } from './refresh.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const ago = (minutes: number) => now - minutes * 60_000;
const instance = (Version: string, LifecycleState: GroupInstance['LifecycleState'] = 'InService') =>
  ({
    InstanceId: `i-${Version}`,
    LifecycleState,
    LaunchTemplate: { LaunchTemplateId: 'lt', Version },
  }) as GroupInstance;
const group = (...Instances: GroupInstance[]) => ({ Instances }) as AutoScalingGroup;
const refresh = (Status: InstanceRefresh['Status'], started: number, ended?: number): InstanceRefresh => ({
  InstanceRefreshId: 'r',
  AutoScalingGroupName: 'pool',
  Status,
  StartTime: new Date(started).toISOString(),
  ...(ended !== undefined && { EndTime: new Date(ended).toISOString() }),
});
const template = { roll: 'x', since: 3, rolls: { 1: 'x', 2: 'w', 3: 'x', 4: 'x' } };
const old = group(instance('2'), instance('3'));

describe('the decision', () => {
  it.each([
    { rule: 'does nothing before the template is seen', note: {}, of: old, does: 'nothing' },
    {
      rule: 'does nothing where instances are of the newest kind',
      note: { template },
      of: group(instance('4')),
      does: 'nothing',
    },
    { rule: 'starts for an older one', note: { template }, of: old, does: 'start' },
    { rule: 'does nothing where refreshes are disabled', note: { template }, of: old, off: true, does: 'nothing' },
    {
      rule: 'waits for one that was just started',
      note: { template, refresh: { since: 3, at: ago(0.5) } },
      of: old,
      does: 'wait',
    },
    {
      rule: 'starts again what never began',
      note: { template, refresh: { since: 3, at: ago(2) } },
      of: old,
      does: 'start',
    },
    {
      rule: 'waits for its own',
      note: { template, refresh: { since: 3, at: ago(9) } },
      of: old,
      seen: [refresh('InProgress', ago(9))],
      does: 'wait',
    },
    {
      rule: 'cancels one of another template',
      note: { template, refresh: { since: 2, at: ago(9) } },
      of: old,
      seen: [refresh('InProgress', ago(9))],
      does: 'cancel',
    },
    {
      rule: 'cancels its own of a change that was taken back',
      note: { template, refresh: { since: 2, at: ago(9) } },
      of: group(instance('4')),
      seen: [refresh('InProgress', ago(9))],
      does: 'cancel',
    },
    {
      rule: 'leaves one that a user started',
      note: { template },
      of: group(instance('4')),
      seen: [refresh('InProgress', ago(9))],
      does: 'wait',
    },
    {
      rule: 'waits until one is cancelled',
      note: { template, refresh: { since: 2, at: ago(9) } },
      of: old,
      seen: [refresh('Cancelling', ago(9))],
      does: 'wait',
    },
    {
      rule: 'starts after one was cancelled for the newer template',
      note: { template, refresh: { since: 2, at: ago(9) } },
      of: old,
      seen: [refresh('Cancelled', ago(9), ago(1))],
      does: 'start',
    },
    {
      rule: 'reports one that failed',
      note: { template, refresh: { since: 3, at: ago(20) } },
      of: old,
      seen: [refresh('Failed', ago(20), ago(1))],
      does: 'failed',
    },
    {
      rule: 'starts a failed one again an hour later',
      note: { template, refresh: { since: 3, at: ago(90) } },
      of: old,
      seen: [refresh('Failed', ago(90), ago(61))],
      does: 'start',
    },
    {
      rule: 'leaves what a successful one left out',
      note: { template, refresh: { since: 3, at: ago(20) } },
      of: old,
      seen: [refresh('Successful', ago(20), ago(1))],
      does: 'nothing',
    },
  ])('$rule', ({ note, of, off = false, seen = [], does }) => {
    const spec = { minSize: 1, maxSize: 3, awsLaunchTemplate: {}, refreshPreferences: { disable: off } };
    expect(decideRefresh(spec, note, of, seen, now).do).toBe(does);
  });
});

it('counts no instance as outdated that is on its way out', () =>
  expect(outdated(group(instance('0', 'Terminating:Wait'), instance('2')), template)).toEqual(['i-2']));

it('counts no instance as outdated whose version is what the newest one is again', () =>
  expect(outdated(group(instance('1'), instance('2')), template)).toEqual(['i-2']));
