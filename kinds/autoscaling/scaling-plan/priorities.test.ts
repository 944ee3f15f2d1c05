import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read } from '../../../machinery/api/reconcile.ts';
import { object } from './observed.fixture.ts';
import { type Priorities, prioritiesOf, priorityEvents, withPriorities } from './priorities.ts';
import type { ScalingPlan } from './schema.ts';

const read = (data: Record<string, string> | undefined): Read<KubeObject> => ({
  state: 'found',
  value: object('ConfigMap', 'cluster-autoscaler-priority-expander', data && { data }),
});
const of = (priorities: string): Priorities => prioritiesOf(read({ priorities }));
const broken = (why: string) => ({
  reason: 'PriorityConfigMapInvalid',
  message: `Wrong configuration for the expander priority, which is skipped: ${why}`,
});

describe('the priorities of pools', () => {
  it('are lists of expressions by priority', () =>
    expect(of('10:\n- .*on-demand.*\n50:\n- .*spot-a$\n- ^MachineDeployment/default/spot-[bc]$\n')).toEqual({
      priorities: { 10: ['.*on-demand.*'], 50: ['.*spot-a$', '^MachineDeployment/default/spot-[bc]$'] },
    }));

  it.each<{ rule: string; text: string; why: string | RegExp }>([
    {
      rule: 'are absent',
      text: ' ',
      why: 'ConfigMap kube-system/cluster-autoscaler-priority-expander has no priorities',
    },
    { rule: 'are no YAML', text: '10: [', why: /^Flow sequence/ },
    { rule: 'are a list', text: '- a', why: 'it is no map of priorities' },
    { rule: 'have a priority that is no number', text: 'high: [a]', why: '"high" is no integer' },
    { rule: 'have no list', text: '10: a', why: 'priority 10 has no list of regular expressions' },
    { rule: 'have no text', text: '10: [1]', why: 'priority 10 has no list of regular expressions' },
    {
      rule: 'have an expression that is none',
      text: '10: ["("]',
      why: /^the expression "\(" of priority 10 Invalid regular/,
    },
    {
      rule: 'could match for ever',
      text: '1: ["(a*)*b"]',
      why: 'the expression "(a*)*b" of priority 1 repeats a group',
    },
    { rule: 'could match for long', text: '1: [".*.*.*.*x"]', why: /has more than 3 repetitions$/ },
    { rule: 'look around', text: '1: ["(?=a)"]', why: /has a group or a reference that is not supported$/ },
    { rule: 'are too long', text: `1: ["${'a'.repeat(201)}"]`, why: /is longer than 200 characters$/ },
    { rule: 'are too many', text: `1: [${'a,'.repeat(101)}]`, why: 'it has more than 100 expressions' },
  ])('are skipped if they $rule', ({ text, why }) => {
    const { reason, message } = of(text) as { reason: string; message: string };
    expect(reason).toBe('PriorityConfigMapInvalid');
    expect(message.split(' which is skipped: ')[1]).toEqual(typeof why === 'string' ? why : expect.stringMatching(why));
  });

  it('are skipped without a ConfigMap, or without its key', () => {
    expect(prioritiesOf({ state: 'absent' })).toMatchObject({ reason: 'PriorityConfigMapNotFound' });
    expect(prioritiesOf(read(undefined))).toEqual(
      broken('ConfigMap kube-system/cluster-autoscaler-priority-expander has no priorities'),
    );
  });
});

describe('skipped priorities', () => {
  const fault = broken('it is no map of priorities');
  const plan = (priorities?: Priorities): ScalingPlan =>
    object('ScalingPlan', 'c', { status: withPriorities({}, priorities) }) as ScalingPlan;
  it('are an Event once', () => {
    expect(priorityEvents(plan(), fault)).toEqual([{ type: 'Warning', ...fault }]);
    expect(priorityEvents(plan(fault), fault)).toEqual([]);
    expect(priorityEvents(plan(fault), broken('else'))).toHaveLength(1);
    expect(priorityEvents(plan(fault), { priorities: {} })).toEqual([]);
    expect(priorityEvents(plan(fault), undefined)).toEqual([]);
  });
  it('are a condition while an expander needs them', () => {
    const conditionsIn = (status: ScalingPlan['status']) =>
      status?.conditions?.map((one) => `${one.type} ${one.status}`);
    expect(conditionsIn(plan(fault).status)).toEqual(['PrioritiesRead False']);
    expect(conditionsIn(withPriorities(plan(fault).status!, { priorities: {} }))).toEqual(['PrioritiesRead True']);
    expect(conditionsIn(withPriorities(plan(fault).status!, undefined))).toEqual([]);
  });
});
