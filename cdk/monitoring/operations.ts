/** Operations that failed or are held, from the workflows' logs: a waiting operation does not fail. */
import type { aws_cloudwatch as cloudwatch } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { DefinitionName } from '../../stepfunctions/index.ts';
import type { Names } from '../names.ts';
import { countEntries } from './entries.ts';

/** The states that report a blocked operation; a delete and an undo keep waiting behind them. */
const states = ['Held', 'TearDownHeld', 'RollBackHeld'];
/** The metrics of executions that failed or timed out. */
const endings = ['ExecutionFailed', 'ExecutionTimedOut'];

const any = (field: string, values: readonly string[]) => values.map((value) => `${field} = "${value}"`).join(' || ');
const pattern = `{ ${any('$.type', endings)} || ($.type = "TaskStateEntered" && (${any('$.details.name', states)})) }`;

/** Undefined when operations run without workflows. */
export const createOperationsMetric = (
  scope: Construct,
  names: Names,
  installation: string,
  definitions: readonly DefinitionName[],
): cloudwatch.Metric | undefined =>
  definitions.length === 0
    ? undefined
    : countEntries(scope, {
        installation,
        name: 'OperationsFailedOrHeld',
        pattern,
        logGroups: Object.fromEntries(
          definitions.map((name) => [`Operations${name}`, names.workflowLog(name)] as const),
        ),
      });
