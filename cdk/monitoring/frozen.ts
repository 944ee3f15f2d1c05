/** Detects in the logs of the workers that the installation froze. */
import type { aws_cloudwatch as cloudwatch } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type Names, workerClasses } from '../names.ts';
import { countEntries } from './entries.ts';

/** The entry that `adapters/installation/position.ts` writes. */
const entry = '"Installation frozen"';

export const createFrozenMetric = (scope: Construct, names: Names, installation: string): cloudwatch.Metric =>
  countEntries(scope, {
    installation,
    name: 'InstallationFrozen',
    pattern: entry,
    logGroups: Object.fromEntries(
      workerClasses.map((worker) => [`Frozen${worker}`, names.log(`reconcile-${worker}`)] as const),
    ),
  });
