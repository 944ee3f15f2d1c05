/** Adds to a definition what all tasks share, so that a file shows only what makes its states different. */
import { taskTimeout } from '../machinery/operations/awaits.ts';
import { awaitedInvoke, type Catcher, type Retrier, type State, type StateMachine, type TaskState } from './asl.ts';

/**
 * AWS does not answer or throttles: the names of our adapters' errors and of Lambda's. A refusal,
 * such as a missing permission, is none of them.
 */
export const unavailable = [
  'Throttled',
  'OutcomeUnknown',
  'ServiceUnavailable',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.TooManyRequestsException',
  'Lambda.ClientExecutionTimeoutException',
  'Sandbox.Timedout',
];

/** The first matching retrier applies: our own errors come first, because they are verdicts and not failures. */
export const retry: Retrier[] = [
  { ErrorEquals: ['StepRefused', 'DeadlineExceeded', 'Cancelled'], MaxAttempts: 0 },
  // After a lost token the state asks again with a new one, without limit.
  { ErrorEquals: ['States.Timeout'], IntervalSeconds: 1, BackoffRate: 1, MaxAttempts: 99_999_999 },
  // Twelve hours; each attempt adds three events to a history that may have 25,000.
  { ErrorEquals: unavailable, IntervalSeconds: 2, BackoffRate: 2, MaxAttempts: 150, MaxDelaySeconds: 300 },
  // Probably a defect of the code: an alarm must ring before long.
  { ErrorEquals: ['States.ALL'], IntervalSeconds: 2, BackoffRate: 2, MaxAttempts: 8, MaxDelaySeconds: 300 },
];

/** The state for unknown errors, and the only one without a Catch. */
export const lastResort = 'Held';

const operation = '{% $states.input.operation %}';

/** What the task function of a state receives. */
export const payloadOf = (state: string) => ({
  task: state,
  token: '{% $states.context.Task.Token %}',
  operation,
  ...(state === lastResort && { error: '{% $states.input.error %}' }),
});

/** A cancelled operation has no error to report. */
const isCancellation = ({ ErrorEquals }: Catcher): boolean => ErrorEquals.every((error) => error === 'Cancelled');

const catchersOf = (own: readonly Catcher[]): Catcher[] =>
  [...own, { ErrorEquals: ['States.ALL'], Next: lastResort }].map((catcher) => ({
    Output: { operation, ...(!isCancellation(catcher) && { error: '{% $states.errorOutput.Error %}' }) },
    ...catcher,
  }));

type SharedFields = 'Resource' | 'Arguments' | 'TimeoutSeconds' | 'Retry';

const completeTask = (name: string, { Catch = [], ...task }: Omit<TaskState, SharedFields>): TaskState => ({
  Resource: awaitedInvoke,
  Arguments: { FunctionName: '${Operate}', Payload: payloadOf(name) },
  TimeoutSeconds: taskTimeout,
  Retry: retry,
  ...(name !== lastResort && { Catch: catchersOf(Catch) }),
  Output: { operation },
  ...task,
});

/** A definition as its file has it. */
interface Source {
  Comment: string;
  StartAt: string;
  States: { [name: string]: { Type: string } };
}

export const complete = ({ States, ...source }: Source): StateMachine => ({
  QueryLanguage: 'JSONata',
  ...source,
  States: Object.fromEntries(
    Object.entries(States).map(([name, state]) => [
      name,
      state.Type === 'Task' ? completeTask(name, state as TaskState) : (state as State),
    ]),
  ),
});
