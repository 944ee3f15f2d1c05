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
import { asyncRetries, seconds } from './limits.ts';
import { type FunctionName, functionNames, type Names, workerClasses } from './names.ts';
import type { Network } from './network.ts';
import { createFunctionRole } from './roles.ts';
import type { Settings } from './settings.ts';

interface Shape {
  does: string;
  megabytes: number;
  /** Options of Node. */
  node?: string;
  /** Temporary files, in MiB; 512 are free. */
  scratch?: number;
  /** Invoked asynchronously: an event that fails for good is kept. */
  isAsync?: true;
}

const shapes: Record<FunctionName, Shape> = {
  // Memory for the deletion of a large collection, which it reads whole.
  api: { does: 'the Kubernetes API: everything but lists and watches', megabytes: 1024 },
  // An open watch pays for memory all the time. Lists are read and written page by page, which takes 20 MB beside the
  // code with a small young generation, and 70 MB with Node's own.
  watch: { does: 'the Kubernetes API: lists and watches', megabytes: 160, node: '--max-semi-space-size=2' },
  // Memory is CPU: a cold start must fit into the three seconds until a launch.
  'audit-webhook': { does: 'wakes controllers by reports of the API servers of clusters', megabytes: 512 },
  dispatch: { does: 'turns changes of objects into work', megabytes: 512 },
  'reconcile-core': { does: 'workers that need only the store', megabytes: 512 },
  'reconcile-aws': { does: 'workers that act on the account', megabytes: 512 },
  // Checks a stored snapshot in a file: etcd's quota is 2 GiB unless it is raised.
  'reconcile-workload': { does: 'workers that speak to clusters', megabytes: 512, scratch: 3072 },
  'reconcile-gc': { does: 'garbage collection and namespaces', megabytes: 512 },
  operate: { does: 'the tasks of workflows', megabytes: 512 },
  executions: { does: 'notes how workflows ended', megabytes: 512, isAsync: true },
  instances: { does: 'wakes who launched an instance whose state changed', megabytes: 512, isAsync: true },
  sweep: {
    does: 'finds work that was lost, and puts to sleep what has none',
    megabytes: 512,
    isAsync: true,
  },
  guard: { does: 'refuses to take the stack down while there are clusters', megabytes: 512 },
};

/**
 * A worker's timer is a message to its own queue, which looks like a loop: after about sixteen hops Lambda
 * would drop the message. The backoff of the work item bounds these loops.
 */
const sendingThemselves: ReadonlySet<string> = new Set(workerClasses.map((worker) => `reconcile-${worker}`));

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
  const create = (name: FunctionName): DeployedFunction => {
    const { does, megabytes, node, scratch = 512, isAsync } = shapes[name];
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
        timeout: Duration.seconds(seconds[name]),
        role,
        logGroup: log,
        ...(settings.tracing && { tracing: lambda.Tracing.ACTIVE }),
        environment: { ...environment, ...(node !== undefined && { NODE_OPTIONS: node }) },
        ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
        ...(isAsync && { deadLetterQueue: deadLetters, retryAttempts: asyncRetries }),
        ...(sendingThemselves.has(name) && { recursiveLoop: lambda.RecursiveLoop.ALLOW }),
        ...(name === 'reconcile-workload' && network),
      }),
    };
  };
  return Object.fromEntries(functionNames.map((name) => [name, create(name)])) as Functions;
};
