/** The Workflows port on standard state machines of Step Functions. */
import {
  DescribeExecutionCommand,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import type { Execution, Workflows } from '../../../machinery/ports.ts';
import { isAnswer, ServiceError, translated } from '../service/error.ts';

export interface StepFunctionsOptions {
  client: Pick<SFNClient, 'send'>;
  /** The ARN of each definition's state machine. */
  arns: Readonly<Record<string, string>>;
}

/** AWS's rule: no whitespace, brackets, wildcards or special characters. */
const allowedName = /^[^\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]{1,80}$/u;
/** Maximum characters of an error name. */
const longestError = 256;
const longestCause = 32_768;

const shortened = (text: string, most: number): string => text.slice(0, most);
const failureFields = ({ error, cause }: { error?: string | undefined; cause?: string | undefined }) => ({
  ...(error !== undefined && { error }),
  ...(cause !== undefined && { cause }),
});

/** The task was already answered, or its execution has ended. */
const gone = ['TaskDoesNotExist', 'TaskTimedOut', 'InvalidToken'] as const;
const notThere = 'ExecutionDoesNotExist';

/** Undefined if AWS answered with one of the `expected` codes. */
const unless = async <T>(
  expected: readonly string[],
  request: Promise<T>,
  action: string,
  what: string,
): Promise<T | undefined> => {
  try {
    return await request;
  } catch (error) {
    if (isAnswer(error, ...expected)) return undefined;
    throw translated(error, { action, what });
  }
};

/** The ARN of an execution of `arn:<partition>:states:<region>:<account>:stateMachine:<name>`. */
export const executionArn = (stateMachineArn: string, name: string): string => {
  const parts = stateMachineArn.split(':');
  return [...parts.slice(0, 5), 'execution', parts[6], name].join(':');
};

const statusOf = (status: string | undefined): Execution['status'] => {
  switch (status) {
    case 'SUCCEEDED':
    case 'FAILED':
    case 'TIMED_OUT':
    case 'ABORTED':
      return status;
    default:
      return 'RUNNING';
  }
};

export const stepFunctions = ({ client, arns }: StepFunctionsOptions): Workflows => {
  const arnOf = (definition: string): string => {
    const arn = Object.hasOwn(arns, definition) ? arns[definition] : undefined;
    if (arn === undefined) throw new Error(`there is no workflow ${definition}`);
    return arn;
  };
  const whatOf = (definition: string) => `the state machine ${arnOf(definition)}`;

  const describe: Workflows['describe'] = async ({ definition, name }) => {
    const request = new DescribeExecutionCommand({ executionArn: executionArn(arnOf(definition), name) });
    const found = await unless([notThere], client.send(request), 'states:DescribeExecution', whatOf(definition));
    return found && { status: statusOf(found.status), ...failureFields(found) };
  };

  return {
    start: async ({ definition, name, input }) => {
      const stateMachineArn = arnOf(definition);
      if (!allowedName.test(name)) throw new Error(`${JSON.stringify(name)} cannot be the name of an execution`);
      const request = new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) });
      await unless(['ExecutionAlreadyExists'], client.send(request), 'states:StartExecution', whatOf(definition));
    },
    describe,
    stop: async ({ definition, name, error, cause }) => {
      const request = new StopExecutionCommand({
        executionArn: executionArn(arnOf(definition), name),
        error: shortened(error, longestError),
        cause: shortened(cause, longestCause),
      });
      try {
        await unless([notThere], client.send(request), 'states:StopExecution', whatOf(definition));
      } catch (refusal) {
        // AWS does not document whether it rejects stopping an ended execution.
        const isOver = async () => (await describe({ definition, name }))?.status !== 'RUNNING';
        if (!(refusal instanceof ServiceError && refusal.code === 'ValidationException' && (await isOver())))
          throw refusal;
      }
    },
    succeed: async (taskToken, output) => {
      const request = new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output) });
      await unless(gone, client.send(request), 'states:SendTaskSuccess', 'Step Functions');
    },
    fail: async (taskToken, error, cause) => {
      const request = new SendTaskFailureCommand({
        taskToken,
        error: shortened(error, longestError),
        cause: shortened(cause, longestCause),
      });
      await unless(gone, client.send(request), 'states:SendTaskFailure', 'Step Functions');
    },
  };
};
