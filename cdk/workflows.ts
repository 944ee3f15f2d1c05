/** The state machines: the shared definitions with their task function. */
import { Aws, aws_logs as logs, RemovalPolicy, aws_stepfunctions as sfn } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { awaitedInvoke, type DefinitionName, definitionNames, definitions } from '../stepfunctions/index.ts';
import { type DeployedFunction, functionId } from './functions.ts';
import type { Names } from './names.ts';
import type { Settings } from './settings.ts';

export interface WorkflowsOptions {
  operate: DeployedFunction;
  names: Names;
  settings: Settings;
}

export type StateMachines = Record<DefinitionName, sfn.StateMachine>;

/** In GovCloud and China the ARNs in a definition must name their own partition. */
const inAnyPartition = (definition: object): string =>
  JSON.stringify(definition).replaceAll(awaitedInvoke, '${AwaitedInvoke}');
const ownAwaitedInvoke = awaitedInvoke.replace('arn:aws:', `arn:${Aws.PARTITION}:`);

/** Undefined where operations run without workflows. */
export const createWorkflows = (
  scope: Construct,
  { operate, names, settings }: WorkflowsOptions,
): StateMachines | undefined => {
  if (!settings.workflows) return undefined;
  const create = (definition: DefinitionName): sfn.StateMachine => {
    const id = functionId(definition);
    const machine = new sfn.StateMachine(scope, id, {
      stateMachineName: names.stateMachine(definition),
      stateMachineType: sfn.StateMachineType.STANDARD,
      definitionBody: sfn.DefinitionBody.fromString(inAnyPartition(definitions[definition])),
      definitionSubstitutions: { Operate: operate.function.functionArn, AwaitedInvoke: ownAwaitedInvoke },
      tracingEnabled: settings.tracing,
      logs: {
        destination: new logs.LogGroup(scope, `${id}Log`, {
          logGroupName: names.workflowLog(definition),
          retention: settings.logRetentionDays,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: sfn.LogLevel.ALL,
        // Inputs and outputs contain task tokens.
        includeExecutionData: false,
      },
    });
    // No versions, unlike the CDK's own grant.
    machine.addToRolePolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [operate.function.functionArn] }),
    );
    return machine;
  };
  return Object.fromEntries(definitionNames.map((name) => [name, create(name)])) as StateMachines;
};
