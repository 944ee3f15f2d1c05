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
  it.each(Object.entries(definitions))('%s obeys the rules', (_, definition) => expect(lint(definition)).toEqual([]));
});

describe('the linter', () => {
  it('rejects what AWS would reject', () => {
    const definition = changed(({ States }) => {
      States.Network!.Next = 'Nowhere';
    });
    expect(lint(definition).join()).toContain('MISSING_TRANSITION_TARGET');
  });

  it.each<[rule: string, definition: object, fault: string]>([
    [
      'rejects types outside the subset',
      changed(({ States }) => {
        States.Network = { Type: 'Parallel', Comment: 'x', Branches: [], Next: 'LoadBalancer' };
      }),
      'Network: there is no type Parallel',
    ],
    [
      'rejects fields outside the subset',
      changed(({ States }) => {
        States.Network!.HeartbeatSeconds = 60;
      }),
      'Network: a Task has no HeartbeatSeconds',
    ],
    [
      'rejects a payload that names another task',
      changed((machine) => {
        payloadOf(machine, 'Network').task = 'Workers';
      }),
      'Network: it does not send what operate takes',
    ],
    [
      'rejects another order of retriers',
      changed((machine) => {
        retryOf(machine, 'Network').reverse();
      }),
      '',
    ],
    [
      'rejects a task without a retrier',
      changed((machine) => {
        retryOf(machine, 'Network').shift();
      }),
      'Network: it does not retry as all tasks do',
    ],
    [
      'rejects a task without a catcher for unknown errors',
      changed((machine) => {
        catchOf(machine, 'Network').pop();
      }),
      'Network: unknown errors do not lead to Held',
    ],
    [
      'rejects unknown errors that lead to an undo',
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
      'rejects an unreachable state',
      changed(({ States }) => {
        States.Network!.Next = 'FirstControlPlaneMachine';
      }),
      'LoadBalancer: nothing leads to it',
    ],
    [
      'rejects a state without a Comment',
      changed(({ States }) => {
        delete States.Network!.Comment;
      }),
      'Network: nothing says why it is there',
    ],
    [
      'rejects a name that is too long',
      changed(({ States }) => {
        States['N'.repeat(81)] = { ...States.Network! };
        States.Preflight!.Next = 'N'.repeat(81);
      }),
      `${'N'.repeat(81)}`,
    ],
    [
      'rejects a read of a value that is not set on every path',
      changed((machine) => {
        (machine.States.Decide!.Output as JsonObject).error = 'x';
        delete (machine.States.Hold!.Output as JsonObject).error;
      }),
      'Held: $states.input.error is not given on every way to it',
    ],
    [
      'rejects a definition that is too large to store',
      changed(({ States }) => {
        States.Network!.Comment = 'x'.repeat(300_000);
      }),
      'it is too large for an execution to keep',
    ],
    [
      'rejects a failure text that reads the input',
      changed(({ States }) => {
        States.OnHold!.Cause = '{% $states.input.operation.name %}';
      }),
      'OnHold: not everywhere are the words of a failure evaluated',
    ],
    ['rejects the operator ??', withCondition("{% ($states.input.policy ?? 'Hold') = 'Hold' %}"), 'there is no block'],
    ['rejects the operator ?:', withCondition("{% $states.input.policy ?: 'Hold' %}"), 'there is no condition'],
    [
      'refuses conditions',
      withCondition("{% $states.input.policy = 'Hold' ? true : false %}"),
      'there is no condition',
    ],
    ['rejects other operators', withCondition('{% $states.input.policy != 1 %}'), 'there is no !='],
    ['rejects other functions', withCondition('{% $now() = 1 %}'), 'there is no function $now'],
    ['rejects filters', withCondition('{% $states.input[0] = 1 %}'), 'a name has no stages'],
    ['rejects wildcards', withCondition('{% $states.* = 1 %}'), 'along a wildcard'],
    ['rejects lambdas', withCondition('{% function($x){$x} %}'), 'there is no lambda'],
    ['rejects a partial expression', withCondition("policy {% 'x' %}"), 'an expression is all of its string'],
    ['rejects a syntax error', withCondition('{% = %}'), '{% = %}'],
  ])('%s', (_, definition, fault) => {
    const faults = brokenRules(definition);
    expect(faults).not.toEqual([]);
    expect(faults.join('\n')).toContain(fault);
  });

  it.each([
    "{% $states.input.policy in ['Hold', 'TearDown'] %}",
    "{% $states.input.policy & 'x' = 'Holdx' %}",
    '{% $exists($states.input.policy) %}',
  ])('accepts %s', (condition) => expect(brokenRules(withCondition(condition))).toEqual([]));
});
