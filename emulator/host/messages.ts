/** Messages between host and sandbox. */

/** A listener's `name:port`, and the local port that serves it. */
export type Names = Record<string, number>;

export interface Invocation {
  id: string;
  event: unknown;
  /** Milliseconds since the epoch. */
  deadline: number;
  arn: string;
}

export interface Head {
  statusCode: number;
  headers?: Record<string, string>;
  multiValueHeaders?: Record<string, string[]>;
}

export interface FunctionFailure {
  errorType: string;
  errorMessage: string;
  trace?: string[];
}

export type ToSandbox =
  | { say: 'invoke'; invocation: Invocation; names: Names }
  | { say: 'names'; names: Names }
  /** The reader of the stream disconnected. */
  | { say: 'gone' };

export type FromSandbox =
  | { say: 'ready' }
  | { say: 'unable'; failure: FunctionFailure }
  | { say: 'result'; id: string; value: unknown }
  | { say: 'failure'; id: string; failure: FunctionFailure }
  | { say: 'head'; id: string; head: Head }
  | { say: 'chunk'; id: string; chunk: Uint8Array }
  | { say: 'end'; id: string };
