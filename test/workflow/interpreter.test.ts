import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../machinery/api/object.ts';
import type { Catcher, Retrier, State } from '../../stepfunctions/asl.ts';
import { bench, fail, machineOf, named, task, year } from './bench.ts';

describe('retrying', () => {
  const all: Retrier = { ErrorEquals: ['States.ALL'], IntervalSeconds: 1, MaxAttempts: 2, BackoffRate: 1 };
  it.each<[rule: string, retry: Retrier[], errors: string[], at: number[]]>([
    ['takes the defaults of the language', [{ ErrorEquals: ['X'] }], ['X', 'X', 'X', 'X'], [0, 1, 3, 7]],
    [
      'grows by its rate, to its longest delay',
      [{ ErrorEquals: ['X'], IntervalSeconds: 10, BackoffRate: 3, MaxDelaySeconds: 50, MaxAttempts: 4 }],
      ['X', 'X', 'X', 'X', 'X'],
      [0, 10, 40, 90, 140],
    ],
    ['never happens with no attempts', [{ ErrorEquals: ['X'], MaxAttempts: 0 }, all], ['X'], [0]],
    ['never happens for an error that nobody names', [{ ErrorEquals: ['Y'] }], ['X'], [0]],
    [
      'counts for each retrier by itself',
      [{ ErrorEquals: ['X'], IntervalSeconds: 5, MaxAttempts: 1 }, all],
      ['X', 'Y', 'Y', 'X'],
      [0, 5, 6, 7],
    ],
    [
      'goes to the first retrier that names it, even when that is used up',
      [{ ErrorEquals: ['X'], MaxAttempts: 1 }, all],
      ['X', 'X'],
      [0, 1],
    ],
    ['of all leaves out what is too large', [all], ['States.DataLimitExceeded'], [0]],
    ['of all leaves out what is broken', [all], ['States.Runtime'], [0]],
    [
      'never happens for what is broken, even by its name',
      [{ ErrorEquals: ['States.Runtime'] }],
      ['States.Runtime'],
      [0],
    ],
    [
      'of what is too large happens by its name',
      [{ ErrorEquals: ['States.DataLimitExceeded'], MaxAttempts: 1 }],
      ['States.DataLimitExceeded', 'States.DataLimitExceeded'],
      [0, 1],
    ],
    ['of failed tasks takes any name', [{ ErrorEquals: ['States.TaskFailed'], MaxAttempts: 1 }], ['X', 'X'], [0, 1]],
    [
      'of failed tasks leaves out those that took too long',
      [{ ErrorEquals: ['States.TaskFailed'] }],
      ['States.Timeout'],
      [0],
    ],
  ])('%s', async (_, Retry, errors, at) => {
    const { start, pass, invoked, only } = bench(machineOf({ A: task({ Retry }) }), (_payload, _workflows, nth) => {
      throw named(errors[nth - 1]!);
    });
    await start();
    await pass(1000);
    expect(invoked.map(([seconds]) => seconds)).toEqual(at);
    expect(await only()).toMatchObject({ status: 'FAILED', error: errors.at(-1) });
  });

  it('begins anew when the state is entered again', async () => {
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

  it('tells how often it has retried', async () => {
    const Arguments = { Payload: { count: '{% $states.context.State.RetryCount %}' } };
    const { start, pass, invoked } = bench(machineOf({ A: task({ Arguments, Retry: [all] }) }), () => {
      throw named('X');
    });
    await start();
    await pass(100);
    expect(invoked.map(([, { count }]) => count)).toEqual([0, 1, 2]);
  });
});

describe('catching', () => {
  const to = (...ErrorEquals: string[]): Catcher => ({ ErrorEquals, Next: 'B' });
  it.each<[rule: string, catchers: Catcher[], error: string, ends: string]>([
    ['takes the error it names', [to('Y', 'X')], 'X', 'Caught'],
    ['leaves other errors', [to('Y')], 'X', 'X'],
    ['of all takes any', [to('States.ALL')], 'X', 'Caught'],
    ['of all takes what took too long', [to('States.ALL')], 'States.Timeout', 'Caught'],
    ['of all leaves out what is broken', [to('States.ALL')], 'States.Runtime', 'States.Runtime'],
    ['of all leaves out what is too large', [to('States.ALL')], 'States.DataLimitExceeded', 'States.DataLimitExceeded'],
    ['goes by order', [{ ErrorEquals: ['States.TaskFailed'], Next: 'C' }, to('States.ALL')], 'X', 'AlsoCaught'],
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

  it('passes on the error alone when it says nothing of an output', async () => {
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
    ['give their input on', { A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Succeed' } }, { output: { a: 1, b: ['x'] } }],
    [
      'evaluate outputs deep inside',
      { A: pass([{ x: '{% $states.input.b[0] %}' }, 'y']) },
      { output: [{ x: 'x' }, 'y'] },
    ],
    ['evaluate the output of a success', { A: { Type: 'Succeed', Output: '{% $states.input.a %}' } }, { output: 1 }],
    [
      'evaluate outputs and variables on what was before',
      {
        A: { Type: 'Pass', Assign: { v: 1 }, Next: 'B' },
        B: { Type: 'Pass', Assign: { v: 2 }, Output: '{% $v %}', Next: 'C' },
        C: pass(['{% $states.input %}', '{% $v %}']),
      },
      { output: [1, 2] },
    ],
    [
      'know where they are',
      {
        A: pass(
          '{% [$states.context.Execution.Name, $states.context.StateMachine.Name, $states.context.State.Name, $states.context.Execution.StartTime, $states.context.State.EnteredTime] %}',
        ),
      },
      { output: ['one', 'made', 'A', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'] },
    ],
    ['fail where nothing is read', { A: pass('{% $states.input.none %}') }, { error: 'States.QueryEvaluationError' }],
    ['fail where an expression does', { A: pass('{% $number("x") %}') }, { error: 'States.QueryEvaluationError' }],
    [
      'fail where what they pass on is too large',
      { A: pass('x'.repeat(262_144)) },
      { error: 'States.DataLimitExceeded' },
    ],
    ['fail where they lead nowhere', { A: { Type: 'Pass', Next: 'Nowhere' } }, { error: 'States.Runtime' }],
    ['fail where they are of no known type', { A: { Type: 'Map' } as never }, { error: 'States.Runtime' }],
    [
      'fail where there is no such resource',
      { A: task({ Resource: 'arn:aws:states:::sqs:sendMessage', Retry: [{ ErrorEquals: ['States.ALL'] }] }) },
      { error: 'States.Runtime' },
    ],
    [
      'catch what their arguments read in vain',
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
      'choose the first that holds',
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
      'choose the default when none holds',
      {
        A: { Type: 'Choice', Choices: [{ Condition: '{% $states.input.a = 2 %}', Next: 'B' }], Default: 'C' },
        B: fail,
        C: pass('C'),
      },
      { output: 'C' },
    ],
    [
      'fail where none holds',
      { A: { Type: 'Choice', Choices: [{ Condition: false, Next: 'B' }] }, B: fail },
      { error: 'States.NoChoiceMatched' },
    ],
    [
      'fail where a condition is neither true nor false',
      { A: { Type: 'Choice', Choices: [{ Condition: '{% 1 %}', Next: 'B' }] }, B: fail },
      { error: 'States.QueryEvaluationError' },
    ],
    [
      'fail with words of their own',
      { A: { Type: 'Fail', Error: "{% 'E' & $states.input.a %}", Cause: '{% $states.input.b[0] %}' } },
      { error: 'E1', cause: 'x' },
    ],
  ])('%s', async (_, states, ends) => {
    const { start, only, ends: told } = bench(machineOf(states));
    const input = { a: 1, b: ['x'] };
    await start(input);
    const status = 'error' in ends ? 'FAILED' : 'SUCCEEDED';
    expect(await only()).toMatchObject({ status, ...ends });
    expect(told).toEqual([{ definition: 'made', name: 'one', input, status }]);
  });

  it.each<[string, Partial<Extract<State, { Type: 'Wait' }>>]>([
    ['seconds', { Seconds: 90 }],
    ['seconds that are read', { Seconds: '{% $states.input.seconds %}' }],
    ['a time', { Timestamp: '2026-01-01T00:01:30Z' }],
    ['a time that is read', { Timestamp: '{% $states.input.at %}' }],
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

  it('end a task once', async () => {
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

  it('are new for each attempt, and those that were too late are gone', async () => {
    const { workflows, start, pass, tokens, only } = bench(both);
    await start();
    await pass(61);
    expect(new Set(tokens).size).toBe(2);
    await workflows.succeed(tokens[0]!, {});
    expect((await only()).state).toBe('A');
    await workflows.succeed(tokens[1]!, {});
    expect((await only()).state).toBe('B');
  });

  it('that are lost end in a timeout', async () => {
    const { start, pass, only, invoked } = bench(both);
    await start();
    await pass(200);
    expect(invoked.map(([seconds]) => seconds)).toEqual([0, 61]);
    expect(await only()).toMatchObject({ status: 'FAILED', error: 'States.Timeout', state: 'A' });
  });

  it('count as answered when they name nothing', async () => {
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

  it('may be answered before the invocation returns, and its error then comes too late', async () => {
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

  it('start once under a name, also when they have ended, for ninety days', async () => {
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

  it('run on while their names are remembered no longer', async () => {
    const { start, pass, only } = bench(machine);
    await start();
    await pass(year);
    expect((await only()).status).toBe('RUNNING');
  });

  it.each(['', 'a b', 'a/b', 'x'.repeat(81), 'a:b'])('have no name such as "%s"', (name) =>
    expect(bench(machine).workflows.start({ definition: 'made', name, input: {} })).rejects.toThrow('name'));

  it('of no known workflow do not start', () =>
    expect(bench(machine).workflows.start({ definition: 'none', name: 'one', input: {} })).rejects.toThrow('none'));

  it('need a value for every placeholder', () =>
    expect(() => bench(machineOf({ A: task({ Arguments: { FunctionName: '${Other}' } }) }))).toThrow('${Other}'));

  it('are stopped wherever they are, once, and tell so', async () => {
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
