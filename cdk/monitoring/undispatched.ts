/** Detects in the sweep's log that no mapping reads the stream of the objects' table. */
import type { aws_cloudwatch as cloudwatch } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Names } from '../names.ts';
import { countEntries } from './entries.ts';

/** The entry that `lambdas/runtime/sweeping.ts` writes. */
export const undispatchedEntry = 'Changes are not dispatched';

export const createUndispatchedMetric = (scope: Construct, names: Names, installation: string): cloudwatch.Metric =>
  countEntries(scope, {
    installation,
    name: 'ChangesUndispatched',
    pattern: `"${undispatchedEntry}"`,
    logGroups: { Undispatched: names.log('sweep') },
  });
