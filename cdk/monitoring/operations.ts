/** Operations that failed or are held. The logs of the workflows show both: one that waits for its end does not fail meanwhile. */
import type { aws_cloudwatch as cloudwatch } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { DefinitionName } from '../../stepfunctions/index.ts';
import type { Names } from '../names.ts';
import { countEntries } from './entries.ts';

/** The states that report what stands in the way; a deletion and a teardown go on waiting behind them. */
const states = ['Held', 'TearDownHeld'];
/** How an execution ends that did not come to its end by itself. */
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
