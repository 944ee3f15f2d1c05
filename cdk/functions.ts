/** The functions: code, settings and environment. */
import { join } from 'node:path';
import {
  Duration,
  type aws_iam as iam,
  aws_lambda as lambda,
  aws_logs as logs,
  RemovalPolicy,
  Size,
  type aws_sqs as sqs,
} from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { concurrencyOf } from './concurrency.ts';
import { lambdas } from './lambdas/index.ts';
import type { Lambda } from './lambdas/lambda.ts';
import { asyncRetries } from './limits.ts';
import { type FunctionName, functionNames, type Names } from './names.ts';
import type { Network } from './network.ts';
import { createFunctionRole } from './roles.ts';
import type { Settings } from './settings.ts';

/**
 * A worker's timer is a message to its own queue, which looks like a loop: after about sixteen hops Lambda
 * would drop the message. The backoff of the work item bounds these loops.
 */
const sendsToItself = ({ uses: { handles, wakes = [] } }: Lambda): boolean =>
  handles !== undefined && wakes.includes(handles);

export type Environment = Record<string, string>;

export interface FunctionsOptions {
  /** The folder with one folder per function. */
  code: string;
  names: Names;
  settings: Settings;
  deadLetters: sqs.Queue;
  environment: Environment;
  /** The network of the function that connects to workload clusters. */
  network: Network | undefined;
}

export interface DeployedFunction {
  function: lambda.Function;
  role: iam.Role;
  log: logs.LogGroup;
}
export type Functions = Record<FunctionName, DeployedFunction>;

export const functionId = (name: string): string =>
  name.replace(/(^|-)(\w)/g, (_, _dash, letter: string) => letter.toUpperCase());

export const createFunctions = (scope: Construct, options: FunctionsOptions): Functions => {
  const { code, names, settings, deadLetters, environment, network } = options;
  const layerOf = (arn: string) => [lambda.LayerVersion.fromLayerVersionArn(scope, 'Helm', arn)];
  const create = (name: FunctionName): DeployedFunction => {
    const { does, megabytes, node, scratch = 512, isAsync } = lambdas[name];
    const id = functionId(name);
    const log = new logs.LogGroup(scope, `${id}Log`, {
      logGroupName: names.log(name),
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = createFunctionRole(scope, `${id}Role`, { log, tracing: settings.tracing });
    const reserved = concurrencyOf(settings).reserved[name];
    return {
      role,
      log,
      function: new lambda.Function(scope, id, {
        functionName: names.function(name),
        description: `Capstan ${settings.installation}: ${does}`,
        code: lambda.Code.fromAsset(join(code, name)),
        handler: 'index.handler',
        runtime: lambda.Runtime.NODEJS_24_X,
        architecture: lambda.Architecture.ARM_64,
        memorySize: megabytes,
        ephemeralStorageSize: Size.mebibytes(scratch),
        timeout: Duration.seconds(lambdas[name].seconds),
        role,
        logGroup: log,
        ...(settings.tracing && { tracing: lambda.Tracing.ACTIVE }),
        environment: { ...environment, ...(node !== undefined && { NODE_OPTIONS: node }) },
        ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
        ...(isAsync && { deadLetterQueue: deadLetters, retryAttempts: asyncRetries }),
        ...(sendsToItself(lambdas[name]) && { recursiveLoop: lambda.RecursiveLoop.ALLOW }),
        ...(name === 'reconcile-workload' && network),
        ...(name === 'reconcile-workload' &&
          settings.helmLayer !== undefined && { layers: layerOf(settings.helmLayer) }),
      }),
    };
  };
  return Object.fromEntries(functionNames.map((name) => [name, create(name)])) as Functions;
};
