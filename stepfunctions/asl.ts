/** The subset of the Amazon States Language, with JSONata, that AWS, emulators and local/workflow execute alike. */
import type { JsonValue } from '../machinery/api/object.ts';

export interface Retrier {
  ErrorEquals: string[];
  /** Seconds before the first retry; 1 by default. */
  IntervalSeconds?: number;
  /** 3 by default; 0 = never. */
  MaxAttempts?: number;
  /** Growth factor of the interval per retry; 2 by default. */
  BackoffRate?: number;
  MaxDelaySeconds?: number;
}

interface Passing {
  Output?: JsonValue;
  Assign?: { [variable: string]: JsonValue };
}
export interface Catcher extends Passing {
  ErrorEquals: string[];
  Next: string;
}
interface Common {
  Comment?: string;
}
type Onward = Passing & { Next?: string; End?: true };

export interface TaskState extends Common, Onward {
  Type: 'Task';
  Resource: string;
  Arguments?: JsonValue;
  TimeoutSeconds?: number | string;
  Retry?: Retrier[];
  Catch?: Catcher[];
}
export interface PassState extends Common, Onward {
  Type: 'Pass';
}
export interface WaitState extends Common, Onward {
  Type: 'Wait';
  Seconds?: number | string;
  Timestamp?: string;
}
export interface ChoiceState extends Common {
  Type: 'Choice';
  Choices: { Condition: boolean | string; Next: string }[];
  Default?: string;
}
export interface SucceedState extends Common {
  Type: 'Succeed';
  Output?: JsonValue;
}
export interface FailState extends Common {
  Type: 'Fail';
  Error?: string;
  Cause?: string;
}
export type State = TaskState | PassState | WaitState | ChoiceState | SucceedState | FailState;

export interface StateMachine {
  Comment?: string;
  QueryLanguage: 'JSONata';
  StartAt: string;
  States: { [name: string]: State };
}

/** A task that ends when its token is answered. */
export const awaitedInvoke = 'arn:aws:states:::lambda:invoke.waitForTaskToken';
