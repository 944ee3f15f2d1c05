/**
 * Workflows of an earlier release: fewer states, no error details, other retries. Executions keep the definition
 * that they began with, so today's tasks must suffice for them.
 */
type Next = { ErrorEquals: string[]; Next: string };

const task = (name: string, next: string, catches: Next[]) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
  Arguments: {
    FunctionName: 'operate',
    Payload: {
      task: name,
      token: '{% $states.context.Task.Token %}',
      operation: '{% $states.input.operation %}',
    },
  },
  TimeoutSeconds: 1800,
  Retry: [
    { ErrorEquals: ['StepRefused', 'DeadlineExceeded', 'Cancelled'], MaxAttempts: 0 },
    { ErrorEquals: ['States.ALL'], IntervalSeconds: 5, BackoffRate: 2, MaxAttempts: 6 },
  ],
  Catch: catches.map((one) => ({ ...one, Output: { operation: '{% $states.input.operation %}' } })),
  Output: { operation: '{% $states.input.operation %}' },
  Next: next,
});

const refusals = ['StepRefused', 'DeadlineExceeded'];
const held: Next = { ErrorEquals: ['States.ALL'], Next: 'Held' };
const cancelled: Next = { ErrorEquals: ['Cancelled'], Next: 'Cancelled' };

/** Each state with its successor. */
const inARow = (names: string[], last: string, catches: Next[]) =>
  Object.fromEntries(names.map((name, i) => [name, task(name, names[i + 1] ?? last, catches)]));

const ends = {
  Succeeded: task('Succeeded', 'Done', [held]),
  Done: { Type: 'Succeed' },
  Cancelled: task('Cancelled', 'Abandoned', [held]),
  Abandoned: { Type: 'Fail', Error: 'Cancelled' },
};

const choose = (policy: string, next: string) => ({
  Condition: `{% $states.input.policy = '${policy}' %}`,
  Next: next,
});

const createCluster = {
  QueryLanguage: 'JSONata',
  StartAt: 'Preflight',
  States: {
    ...inARow(['Preflight', 'Network', 'FirstControlPlaneMachine', 'ControlPlane', 'Workers'], 'Succeeded', [
      { ErrorEquals: refusals, Next: 'Decide' },
      cancelled,
      held,
    ]),
    Decide: {
      ...task('Decide', 'ByPolicy', [cancelled, held]),
      Output: { operation: '{% $states.input.operation %}', policy: '{% $states.result.policy %}' },
    },
    ByPolicy: {
      Type: 'Choice',
      Choices: [choose('TearDown', 'TearDown'), choose('Retry', 'Preflight')],
      Default: 'Held',
    },
    TearDown: task('TearDown', 'TornDown', [cancelled, held]),
    TornDown: task('TornDown', 'Undone', [held]),
    Undone: { Type: 'Fail', Error: 'TornDown' },
    Held: task('Held', 'OnHold', []),
    OnHold: { Type: 'Fail', Error: 'Held' },
    ...ends,
  },
};

const deleteCluster = {
  QueryLanguage: 'JSONata',
  StartAt: 'DeleteWorkers',
  States: {
    ...inARow(['DeleteWorkers', 'DeleteControlPlane', 'DeleteLoadBalancers', 'DeleteNetwork', 'Prove'], 'Succeeded', [
      cancelled,
      held,
    ]),
    Held: task('Held', 'Prove', []),
    ...ends,
  },
};

const previous: Record<string, { States: Record<string, unknown> }> = {
  'create-cluster': createCluster,
  'delete-cluster': deleteCluster,
};

export const previousRelease = (definition: string): { States: Record<string, unknown> } => previous[definition]!;
