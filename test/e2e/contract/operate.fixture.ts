/**
 * A function in place of Capstan's: it forwards the payload of a task to a queue that the test reads, and fails
 * when the payload says so.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CreateRoleCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  IAMClient,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam';
import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  LambdaClient,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';
import { CreateStateMachineCommand, DeleteStateMachineCommand, SFNClient } from '@aws-sdk/client-sfn';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { clientConfig } from './endpoint.ts';
import { zipOf } from './zip.ts';

// AWS provides the SDK to functions; an emulator runs the function on this machine, inside the repository.
const code = `
const { createRequire } = require('node:module');
const { SQSClient, SendMessageCommand } = createRequire(process.env.SDK_FROM || __filename)('@aws-sdk/client-sqs');
const client = new SQSClient(process.env.ENDPOINT ? { endpoint: process.env.ENDPOINT } : {});
exports.handler = async (event) => {
  await client.send(new SendMessageCommand({ QueueUrl: process.env.QUEUE_URL, MessageBody: JSON.stringify(event) }));
  if (event.fails || event.detail?.fails) throw new Error('as it was told');
};
`;

export interface Operate {
  sfn: SFNClient;
  functionArn: string;
  /** Creates a state machine of a definition in which `${Operate}` is the function; returns its ARN. */
  stateMachine(name: string, definition: object): Promise<string>;
  /** The payloads since the last call; waits at most this long for the first. */
  received(seconds: number): Promise<unknown[]>;
  close(): Promise<void>;
}

const trust = (service: string) =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' }],
  });
const allowing = (Action: string, Resource: string) =>
  JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action, Resource }] });

/** A new IAM role takes time to propagate. */
const persistently = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (tries === 10 || !/cannot be assumed|not authorized/i.test((error as Error).message)) throw error;
      await delay(2000);
    }
  }
};

export const openOperate = async (): Promise<Operate> => {
  const suffix = randomUUID().slice(0, 8);
  const name = (what: string) => `capstan-contract-${what}-${suffix}`;
  const [sqs, iam] = [new SQSClient(clientConfig('SQS')), new IAMClient(clientConfig('IAM'))];
  const [lambda, sfn] = [new LambdaClient(clientConfig('LAMBDA')), new SFNClient(clientConfig('SFN'))];
  const undo: (() => Promise<unknown>)[] = [];

  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name('tasks') }));
  undo.push(() => sqs.send(new DeleteQueueCommand({ QueueUrl })));
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));

  const role = async (what: string, service: string, action: string, resource: string): Promise<string> => {
    const RoleName = name(what);
    const { Role } = await iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: trust(service) }));
    undo.push(() => iam.send(new DeleteRoleCommand({ RoleName })));
    const policy = { RoleName, PolicyName: 'it' };
    await iam.send(new PutRolePolicyCommand({ ...policy, PolicyDocument: allowing(action, resource) }));
    undo.push(() => iam.send(new DeleteRolePolicyCommand(policy)));
    return Role!.Arn!;
  };

  const FunctionName = name('operate');
  const { endpoint } = clientConfig('SQS') as { endpoint?: string };
  const Role = await role('function', 'lambda.amazonaws.com', 'sqs:SendMessage', Attributes!.QueueArn!);
  const { FunctionArn } = await persistently(() =>
    lambda.send(
      new CreateFunctionCommand({
        FunctionName,
        Role,
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
        Code: { ZipFile: zipOf('index.js', code) },
        Timeout: 30,
        Environment: {
          Variables: {
            QUEUE_URL: QueueUrl!,
            ...(endpoint && { ENDPOINT: endpoint, SDK_FROM: import.meta.filename }),
          },
        },
      }),
    ),
  );
  undo.push(() => lambda.send(new DeleteFunctionCommand({ FunctionName })));
  await waitUntilFunctionActiveV2({ client: lambda, maxWaitTime: 60, minDelay: 1, maxDelay: 2 }, { FunctionName });
  const roleArn = await role('machines', 'states.amazonaws.com', 'lambda:InvokeFunction', FunctionArn!);

  return {
    sfn,
    functionArn: FunctionArn!,
    stateMachine: async (what, definition) => {
      const { stateMachineArn } = await persistently(() =>
        sfn.send(
          new CreateStateMachineCommand({
            name: name(what),
            roleArn,
            definition: JSON.stringify(definition).replaceAll('${Operate}', FunctionArn!),
          }),
        ),
      );
      undo.push(() => sfn.send(new DeleteStateMachineCommand({ stateMachineArn })));
      return stateMachineArn!;
    },
    received: async (seconds) => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: seconds }),
      );
      const Entries = Messages.map(({ ReceiptHandle }, index) => ({
        Id: String(index),
        ReceiptHandle: ReceiptHandle!,
      }));
      if (Entries.length > 0) await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      return Messages.map(({ Body }) => JSON.parse(Body!) as unknown);
    },
    close: async () => {
      for (const step of undo.reverse()) await step();
      for (const client of [sqs, iam, lambda, sfn]) client.destroy();
    },
  };
};
