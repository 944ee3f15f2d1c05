/** That an operation is held is said in the logs of the workflows: one that waits for its end does not fail meanwhile. */
import type { aws_cloudwatch as cloudwatch } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { DefinitionName } from '../../stepfunctions/index.ts';
import type { Names } from '../names.ts';
import { countEntries } from './entries.ts';

/** The states in which somebody is told what stands in the way; a deletion and a teardown go on waiting behind them. */
const states = ['Held', 'TearDownHeld'];

export const createHeldMetric = (
  scope: Construct,
  names: Names,
  installation: string,
  definitions: readonly DefinitionName[],
): cloudwatch.Metric =>
  countEntries(scope, {
    installation,
    name: 'OperationsHeld',
    pattern: `{ $.type = "TaskStateEntered" && (${states.map((name) => `$.details.name = "${name}"`).join(' || ')}) }`,
    logGroups: Object.fromEntries(definitions.map((name) => [`Held${name}`, names.workflowLog(name)] as const)),
  });
