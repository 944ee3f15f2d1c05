import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../machinery/api/object.ts';
import type { Catcher, Retrier, State } from '../../stepfunctions/asl.ts';
import { bench, fail, machineOf, named, task, year } from './bench.ts';

describe('a retrier', () => {
  const all: Retrier = { ErrorEquals: ['States.ALL'], IntervalSeconds: 1, MaxAttempts: 2, BackoffRate: 1 };
  it.each<[rule: string, retry: Retrier[], errors: string[], at: number[]]>([
    ['uses the defaults of the language', [{ ErrorEquals: ['X'] }], ['X', 'X', 'X', 'X'], [0, 1, 3, 7]],
    [
      'grows its interval by the rate, up to the longest delay',
      [{ ErrorEquals: ['X'], IntervalSeconds: 10, BackoffRate: 3, MaxDelaySeconds: 50, MaxAttempts: 4 }],
      ['X', 'X', 'X', 'X', 'X'],
      [0, 10, 40, 90, 140],
    ],
    ['never retries with zero attempts', [{ ErrorEquals: ['X'], MaxAttempts: 0 }, all], ['X'], [0]],
    ['ignores an error that it does not name', [{ ErrorEquals: ['Y'] }], ['X'], [0]],
    [
      'counts attempts per retrier',
      [{ ErrorEquals: ['X'], IntervalSeconds: 5, MaxAttempts: 1 }, all],
      ['X', 'Y', 'Y', 'X'],
      [0, 5, 6, 7],
    ],
    [
      'is the first that names the error, even when that is used up',
      [{ ErrorEquals: ['X'], MaxAttempts: 1 }, all],
      ['X', 'X'],
      [0, 1],
    ],
    ['for all errors excludes data that is too large', [all], ['States.DataLimitExceeded'], [0]],
    ['for all errors excludes a broken definition', [all], ['States.Runtime'], [0]],
    ['never retries a broken definition, even by name', [{ ErrorEquals: ['States.Runtime'] }], ['States.Runtime'], [0]],
    [
      'retries data that is too large by name',
      [{ ErrorEquals: ['States.DataLimitExceeded'], MaxAttempts: 1 }],
      ['States.DataLimitExceeded', 'States.DataLimitExceeded'],
      [0, 1],
    ],
    ['for failed tasks matches any name', [{ ErrorEquals: ['States.TaskFailed'], MaxAttempts: 1 }], ['X', 'X'], [0, 1]],
    ['for failed tasks excludes timeouts', [{ ErrorEquals: ['States.TaskFailed'] }], ['States.Timeout'], [0]],
  ])('%s', async (_, Retry, errors, at) => {
    const { start, pass, invoked, only } = bench(machineOf({ A: task({ Retry }) }), (_payload, _workflows, nth) => {
      throw named(errors[nth - 1]!);
    });
    await start();
    await pass(1000);
    expect(invoked.map(([seconds]) => seconds)).toEqual(at);
    expect(await only()).toMatchObject({ status: 'FAILED', error: errors.at(-1) });
  });

  it('starts over when the state is entered again', async () => {
    const Retry = [{ ErrorEquals: ['X'], MaxAttempts: 1 }];
    const machine = machineOf({ A: task({ Retry, Next: 'B' }), B: task({ Next: 'A' }) });
    const answers = ['X', '', '', 'X', 'X'];
    const { start, pass, invoked } = bench(machine, async ({ token }, workflows, nth) => {
      if (answers[nth - 1]) throw named(answers[nth - 1]!);
      await workflows.succeed(String(token), {});
    });
    await start();
    await pass(100);
    expect(invoked.map(([seconds]) => seconds)).toEqual([0, 1, 1, 1, 2]);
  });

  it('exposes the retry count', async () => {
    const Arguments = { Payload: { count: '{% $states.context.State.RetryCount %}' } };
    const { start, pass, invoked } = bench(machineOf({ A: task({ Arguments, Retry: [all] }) }), () => {
      throw named('X');
    });
    await start();
    await pass(100);
    expect(invoked.map(([, { count }]) => count)).toEqual([0, 1, 2]);
  });
});

describe('a catcher', () => {
  const to = (...ErrorEquals: string[]): Catcher => ({ ErrorEquals, Next: 'B' });
  it.each<[rule: string, catchers: Catcher[], error: string, ends: string]>([
    ['matches the error it names', [to('Y', 'X')], 'X', 'Caught'],
    ['ignores other errors', [to('Y')], 'X', 'X'],
    ['for all errors matches any', [to('States.ALL')], 'X', 'Caught'],
    ['for all errors matches a timeout', [to('States.ALL')], 'States.Timeout', 'Caught'],
    ['for all errors excludes a broken definition', [to('States.ALL')], 'States.Runtime', 'States.Runtime'],
    [
      'for all errors excludes data that is too large',
      [to('States.ALL')],
      'States.DataLimitExceeded',
      'States.DataLimitExceeded',
    ],
    ['applies in order', [{ ErrorEquals: ['States.TaskFailed'], Next: 'C' }, to('States.ALL')], 'X', 'AlsoCaught'],
  ])('%s', async (_, Catch, error, ends) => {
    const C: State = { Type: 'Fail', Error: 'AlsoCaught' };
    const { start, only } = bench(machineOf({ A: task({ Catch }), B: fail, C }), () => {
      throw named(error);
    });
    await start();
    expect(await only()).toMatchObject({ status: 'FAILED', error: ends });
  });

  it('passes on the error, its cause, the input, and variables', async () => {
    const Catch: Catcher[] = [
      {
        ErrorEquals: ['X'],
        Next: 'B',
        Output: { error: '{% $states.errorOutput %}', input: '{% $states.input.a %}' },
        Assign: { name: '{% $states.errorOutput.Error %}' },
      },
    ];
    const B: State = { Type: 'Pass', Output: { in: '{% $states.input %}', name: '{% $name %}' }, End: true };
    const { start, only } = bench(machineOf({ A: task({ Catch }), B }), ({ token }, workflows) =>
      workflows.fail(String(token), 'X', 'because'),
    );
    await start({ a: 1 });
    expect((await only()).output).toEqual({ in: { error: { Error: 'X', Cause: 'because' }, input: 1 }, name: 'X' });
  });

  it('outputs only the error by default', async () => {
    const machine = machineOf({ A: task({ Catch: [to('X')] }), B: { Type: 'Succeed' } });
    const { start, only } = bench(machine, () => {
      throw named('X');
    });
    await start();
    expect((await only()).output).toEqual({ Error: 'X', Cause: '{"errorType":"X","errorMessage":"why"}' });
  });
});

describe('states', () => {
  const pass = (Output: JsonValue): State => ({ Type: 'Pass', Output, End: true });
  it.each<[rule: string, states: Record<string, State>, ends: JsonObject]>([
    ['pass their input on', { A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Succeed' } }, { output: { a: 1, b: ['x'] } }],
    ['evaluate nested outputs', { A: pass([{ x: '{% $states.input.b[0] %}' }, 'y']) }, { output: [{ x: 'x' }, 'y'] }],
    [
      'evaluate the output of a Succeed state',
      { A: { Type: 'Succeed', Output: '{% $states.input.a %}' } },
      { output: 1 },
    ],
    [
      'evaluate outputs and variables on the previous values',
      {
        A: { Type: 'Pass', Assign: { v: 1 }, Next: 'B' },
        B: { Type: 'Pass', Assign: { v: 2 }, Output: '{% $v %}', Next: 'C' },
        C: pass(['{% $states.input %}', '{% $v %}']),
      },
      { output: [1, 2] },
    ],
    [
      'know their name',
      {
        A: pass(
          '{% [$states.context.Execution.Name, $states.context.StateMachine.Name, $states.context.State.Name, $states.context.Execution.StartTime, $states.context.State.EnteredTime] %}',
        ),
      },
      { output: ['one', 'made', 'A', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'] },
    ],
    [
      'fail when an expression yields nothing',
      { A: pass('{% $states.input.none %}') },
      { error: 'States.QueryEvaluationError' },
    ],
    ['fail when an expression fails', { A: pass('{% $number("x") %}') }, { error: 'States.QueryEvaluationError' }],
    ['fail when their output is too large', { A: pass('x'.repeat(262_144)) }, { error: 'States.DataLimitExceeded' }],
    ['fail when the next state is missing', { A: { Type: 'Pass', Next: 'Nowhere' } }, { error: 'States.Runtime' }],
    ['fail when their type is unknown', { A: { Type: 'Map' } as never }, { error: 'States.Runtime' }],
    [
      'fail when their resource is unknown',
      { A: task({ Resource: 'arn:aws:states:::sqs:sendMessage', Retry: [{ ErrorEquals: ['States.ALL'] }] }) },
      { error: 'States.Runtime' },
    ],
    [
      'catch an expression error in their arguments',
      {
        A: task({
          Arguments: { Payload: '{% $states.input.none %}' },
          Catch: [{ ErrorEquals: ['States.QueryEvaluationError'], Next: 'B' }],
        }),
        B: fail,
      },
      { error: 'Caught' },
    ],
    [
      'choose the first matching rule',
      {
        A: {
          Type: 'Choice',
          Choices: [
            { Condition: '{% $states.input.a = 2 %}', Next: 'B' },
            { Condition: true, Next: 'C' },
          ],
          Default: 'B',
        },
        B: fail,
        C: pass('C'),
      },
      { output: 'C' },
    ],
    [
      'choose the default without a match',
      {
        A: { Type: 'Choice', Choices: [{ Condition: '{% $states.input.a = 2 %}', Next: 'B' }], Default: 'C' },
        B: fail,
        C: pass('C'),
      },
      { output: 'C' },
    ],
    [
      'fail without a match and a default',
      { A: { Type: 'Choice', Choices: [{ Condition: false, Next: 'B' }] }, B: fail },
      { error: 'States.NoChoiceMatched' },
    ],
    [
      'fail when a condition is not Boolean',
      { A: { Type: 'Choice', Choices: [{ Condition: '{% 1 %}', Next: 'B' }] }, B: fail },
      { error: 'States.QueryEvaluationError' },
    ],
    [
      'fail with the given error and cause',
      { A: { Type: 'Fail', Error: "{% 'E' & $states.input.a %}", Cause: '{% $states.input.b[0] %}' } },
      { error: 'E1', cause: 'x' },
    ],
  ])('%s', async (_, states, ends) => {
    const { start, only, ends: ended } = bench(machineOf(states));
    const input = { a: 1, b: ['x'] };
    await start(input);
    const status = 'error' in ends ? 'FAILED' : 'SUCCEEDED';
    expect(await only()).toMatchObject({ status, ...ends });
    expect(ended).toEqual([{ definition: 'made', name: 'one', input, status }]);
  });

  it.each<[string, Partial<Extract<State, { Type: 'Wait' }>>]>([
    ['seconds', { Seconds: 90 }],
    ['an evaluated number of seconds', { Seconds: '{% $states.input.seconds %}' }],
    ['a timestamp', { Timestamp: '2026-01-01T00:01:30Z' }],
    ['an evaluated timestamp', { Timestamp: '{% $states.input.at %}' }],
  ])('wait for %s', async (_, until) => {
    const { start, pass: letPass, only } = bench(machineOf({ A: { Type: 'Wait', ...until, End: true } }));
    await start({ seconds: 90, at: '2026-01-01T00:01:30Z' });
    await letPass(89);
    expect((await only()).status).toBe('RUNNING');
    await letPass(1);
    expect((await only()).status).toBe('SUCCEEDED');
  });
});

describe('tokens', () => {
  const timed = task({ TimeoutSeconds: 60, Retry: [{ ErrorEquals: ['States.Timeout'], MaxAttempts: 1 }] });
  const both = machineOf({ A: { ...timed, End: undefined, Next: 'B' } as State, B: timed });

  it('complete a task once', async () => {
    const { workflows, start, pass, tokens, only } = bench(both);
    await start();
    await workflows.succeed(tokens[0]!, { n: 1 });
    await workflows.succeed(tokens[0]!, { n: 2 });
    await workflows.fail(tokens[0]!, 'X', 'late');
    await pass(1);
    expect([tokens.length, (await only()).state]).toEqual([2, 'B']);
    await Promise.all([workflows.succeed(tokens[1]!, 'first'), workflows.fail(tokens[1]!, 'X', 'second')]);
    expect(await only()).toMatchObject({ status: 'SUCCEEDED', output: 'first' });
  });

  it('are new for each attempt, and expired ones are void', async () => {
    const { workflows, start, pass, tokens, only } = bench(both);
    await start();
    await pass(61);
    expect(new Set(tokens).size).toBe(2);
    await workflows.succeed(tokens[0]!, {});
    expect((await only()).state).toBe('A');
    await workflows.succeed(tokens[1]!, {});
    expect((await only()).state).toBe('B');
  });

  it('time out when they are lost', async () => {
    const { start, pass, only, invoked } = bench(both);
    await start();
    await pass(200);
    expect(invoked.map(([seconds]) => seconds)).toEqual([0, 61]);
    expect(await only()).toMatchObject({ status: 'FAILED', error: 'States.Timeout', state: 'A' });
  });

  it('are ignored when invalid', async () => {
    const { workflows, start, tokens, only } = bench(both);
    await start();
    const altered = Buffer.from(JSON.stringify(['made', 'one', 'guessed'])).toString('base64url');
    const elsewhere = Buffer.from(JSON.stringify(['made', 'two', 'x'])).toString('base64url');
    for (const token of ['', 'x', altered, elsewhere]) {
      await workflows.succeed(token, {});
      await workflows.fail(token, 'X', 'x');
    }
    expect([tokens.length, (await only()).state]).toEqual([1, 'A']);
  });

  it('may be completed before the invocation returns, whose error then comes too late', async () => {
    const { start, only, invoked } = bench(both, async ({ token }, workflows, nth) => {
      if (nth > 1) return;
      await workflows.succeed(String(token), {});
      throw named('X');
    });
    await start();
    expect([invoked.length, (await only()).state]).toEqual([2, 'B']);
  });

  it('time out while the invocation still runs', async () => {
    const { start, pass, invoked } = bench(both, () => new Promise(() => {}));
    await start();
    await pass(61);
    expect(invoked.length).toBe(2);
  });
});

describe('executions', () => {
  const machine = machineOf({ A: task() });

  it('start once per name, even after they ended, for ninety days', async () => {
    const { workflows, start, pass, invoked, only } = bench(machine);
    await start();
    await start({ other: true });
    expect([invoked.length, (await only()).input]).toEqual([1, {}]);
    await workflows.stop({ definition: 'made', name: 'one', error: 'E', cause: 'C' });
    await start();
    await pass(90 * 86_400 - 10);
    await start();
    expect(invoked.length).toBe(1);
    await pass(20);
    expect(await workflows.describe({ definition: 'made', name: 'one' })).toBeUndefined();
    await start();
    expect(invoked.length).toBe(2);
  });

  it('continue after their names are forgotten', async () => {
    const { start, pass, only } = bench(machine);
    await start();
    await pass(year);
    expect((await only()).status).toBe('RUNNING');
  });

  it.each(['', 'a b', 'a/b', 'x'.repeat(81), 'a:b'])('cannot be named "%s"', (name) =>
    expect(bench(machine).workflows.start({ definition: 'made', name, input: {} })).rejects.toThrow('name'));

  it('of an unknown workflow do not start', () =>
    expect(bench(machine).workflows.start({ definition: 'none', name: 'one', input: {} })).rejects.toThrow('none'));

  it('need a value for every placeholder', () =>
    expect(() => bench(machineOf({ A: task({ Arguments: { FunctionName: '${Other}' } }) }))).toThrow('${Other}'));

  it('can be stopped in every state, once, and report that', async () => {
    const { workflows, start, pass, tokens, ends } = bench(machine);
    const one = { definition: 'made', name: 'one' };
    await workflows.stop({ ...one, error: 'E', cause: 'too early' });
    await start();
    await workflows.stop({ ...one, error: 'E', cause: 'C' });
    await workflows.stop({ ...one, error: 'F', cause: 'D' });
    await workflows.succeed(tokens[0]!, {});
    await pass(10);
    expect(await workflows.describe(one)).toEqual({ status: 'ABORTED', error: 'E', cause: 'C' });
    expect(ends).toEqual([{ ...one, input: {}, status: 'ABORTED' }]);
  });

  it('take no step in a suspended process', async () => {
    const { workflows, start, pass, invoked, only } = bench(
      machineOf({ A: task({ TimeoutSeconds: 5, Retry: [{ ErrorEquals: ['States.ALL'] }] }) }),
    );
    await start();
    workflows.suspend();
    await pass(1000);
    expect([invoked.length, (await only()).status]).toEqual([1, 'RUNNING']);
  });
});
