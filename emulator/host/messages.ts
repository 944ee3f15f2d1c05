/** What the host and a sandbox say to each other. */

/** A listener's `name:port`, and the port of 127.0.0.1 where it is served. */
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
  /** Nobody reads the stream any more. */
  | { say: 'gone' };

export type FromSandbox =
  | { say: 'ready' }
  | { say: 'unable'; failure: FunctionFailure }
  | { say: 'result'; id: string; value: unknown }
  | { say: 'failure'; id: string; failure: FunctionFailure }
  | { say: 'head'; id: string; head: Head }
  | { say: 'chunk'; id: string; chunk: Uint8Array }
  | { say: 'end'; id: string };
