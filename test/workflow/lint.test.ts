import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../machinery/api/object.ts';
import { definitions } from '../../stepfunctions/index.ts';
import { brokenRules, lint } from '../../stepfunctions/lint.ts';

type Machine = { QueryLanguage: string; StartAt: string; States: Record<string, JsonObject> };
const changed = (change: (machine: Machine) => void): object => {
  const machine = structuredClone(definitions['create-cluster']) as unknown as Machine;
  change(machine);
  return machine;
};
const payloadOf = (machine: Machine, state: string) =>
  (machine.States[state]!.Arguments as { Payload: JsonObject }).Payload;
const retryOf = (machine: Machine, state: string) => machine.States[state]!.Retry as JsonObject[];
const catchOf = (machine: Machine, state: string) => machine.States[state]!.Catch as JsonObject[];
const withCondition = (condition: string) =>
  changed(({ States }) => {
    (States.ByPolicy!.Choices as JsonObject[])[0]!.Condition = condition;
  });

describe('the definitions', () => {
  it.each(Object.entries(definitions))('%s keeps to the rules', (_, definition) =>
    expect(lint(definition)).toEqual([]));
});

describe('the linter', () => {
  it('refuses what AWS would', () => {
    const definition = changed(({ States }) => {
      States.Network!.Next = 'Nowhere';
    });
    expect(lint(definition).join()).toContain('MISSING_TRANSITION_TARGET');
  });

  it.each<[rule: string, definition: object, fault: string]>([
    [
      'refuses types outside the subset',
      changed(({ States }) => {
        States.Network = { Type: 'Parallel', Comment: 'x', Branches: [], Next: 'LoadBalancer' };
      }),
      'Network: there is no type Parallel',
    ],
    [
      'refuses fields outside the subset',
      changed(({ States }) => {
        States.Network!.HeartbeatSeconds = 60;
      }),
      'Network: a Task has no HeartbeatSeconds',
    ],
    [
      'refuses a payload that names another task',
      changed((machine) => {
        payloadOf(machine, 'Network').task = 'Workers';
      }),
      'Network: it does not send what operate takes',
    ],
    [
      'refuses another order of retriers',
      changed((machine) => {
        retryOf(machine, 'Network').reverse();
      }),
      '',
    ],
    [
      'refuses a task without a retrier',
      changed((machine) => {
        retryOf(machine, 'Network').shift();
      }),
      'Network: it does not retry as all tasks do',
    ],
    [
      'refuses a task whose unknown errors nobody catches',
      changed((machine) => {
        catchOf(machine, 'Network').pop();
      }),
      'Network: unknown errors do not lead to Held',
    ],
    [
      'refuses unknown errors that lead to an undo',
      changed((machine) => {
        catchOf(machine, 'Network').at(-1)!.Next = 'TearDown';
      }),
      'Network: unknown errors do not lead to Held',
    ],
    [
      'refuses another timeout',
      changed(({ States }) => {
        States.Network!.TimeoutSeconds = 60;
      }),
      'Network: its timeout is not 3600 s',
    ],
    [
      'refuses a state that nothing leads to',
      changed(({ States }) => {
        States.Network!.Next = 'FirstControlPlaneMachine';
      }),
      'LoadBalancer: nothing leads to it',
    ],
    [
      'refuses a state without a reason',
      changed(({ States }) => {
        delete States.Network!.Comment;
      }),
      'Network: nothing says why it is there',
    ],
    [
      'refuses a long name',
      changed(({ States }) => {
        States['N'.repeat(81)] = { ...States.Network! };
        States.Preflight!.Next = 'N'.repeat(81);
      }),
      `${'N'.repeat(81)}`,
    ],
    [
      'refuses to read what is not given on every way',
      changed((machine) => {
        (machine.States.Decide!.Output as JsonObject).error = 'x';
        delete (machine.States.Hold!.Output as JsonObject).error;
      }),
      'Held: $states.input.error is not given on every way to it',
    ],
    [
      'refuses a definition that is too large to keep',
      changed(({ States }) => {
        States.Network!.Comment = 'x'.repeat(300_000);
      }),
      'it is too large for an execution to keep',
    ],
    [
      'refuses to word a failure by what it reads',
      changed(({ States }) => {
        States.OnHold!.Cause = '{% $states.input.operation.name %}';
      }),
      'OnHold: not everywhere are the words of a failure evaluated',
    ],
    ['refuses the operator ??', withCondition("{% ($states.input.policy ?? 'Hold') = 'Hold' %}"), 'there is no block'],
    ['refuses the operator ?:', withCondition("{% $states.input.policy ?: 'Hold' %}"), 'there is no condition'],
    [
      'refuses conditions',
      withCondition("{% $states.input.policy = 'Hold' ? true : false %}"),
      'there is no condition',
    ],
    ['refuses other operators', withCondition('{% $states.input.policy != 1 %}'), 'there is no !='],
    ['refuses other functions', withCondition('{% $now() = 1 %}'), 'there is no function $now'],
    ['refuses filters', withCondition('{% $states.input[0] = 1 %}'), 'a name has no stages'],
    ['refuses wildcards', withCondition('{% $states.* = 1 %}'), 'along a wildcard'],
    ['refuses lambdas', withCondition('{% function($x){$x} %}'), 'there is no lambda'],
    ['refuses half an expression', withCondition("policy {% 'x' %}"), 'an expression is all of its string'],
    ['refuses what does not parse', withCondition('{% = %}'), '{% = %}'],
  ])('%s', (_, definition, fault) => {
    const faults = brokenRules(definition);
    expect(faults).not.toEqual([]);
    expect(faults.join('\n')).toContain(fault);
  });

  it.each([
    "{% $states.input.policy in ['Hold', 'TearDown'] %}",
    "{% $states.input.policy & 'x' = 'Holdx' %}",
    '{% $exists($states.input.policy) %}',
  ])('takes %s', (condition) => expect(brokenRules(withCondition(condition))).toEqual([]));
});
