/** Counts in the logs what lasts about single objects: failing passes, and what sweeps skip. */
import { type aws_cloudwatch as cloudwatch, Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type Names, workerClasses } from '../names.ts';
import { countEntries } from './entries.ts';

/** Of machinery/controller/lasting.ts and machinery/controller/skipped.ts. */
const entries = ['"Passes of an object keep failing"', '"Skipped what cannot be handled"'];

export const createLastingMetric = (scope: Construct, names: Names, installation: string): cloudwatch.Metric =>
  countEntries(scope, {
    installation,
    name: 'ObjectsFail',
    pattern: entries.map((entry) => `?${entry}`).join(' '),
    logGroups: {
      ...Object.fromEntries(
        workerClasses.map((worker) => [`Lasting${worker}`, names.log(`reconcile-${worker}`)] as const),
      ),
      Skipped: names.log('sweep'),
    },
  }).with({
    // Objects that fail for one reason are reported within minutes of each other.
    period: Duration.minutes(15),
  }) as cloudwatch.Metric;
