/** Metrics that only a control plane in one process has. Pure. */
import type { Family } from '../runtime/metrics/objects.ts';
import type { CallCount } from '../simulation/aws/index.ts';

export const callsFamily = (calls: readonly CallCount[]): Family => ({
  name: 'aws_api_requests_total',
  help: 'Calls of AWS by action and result.',
  samples: calls.flatMap(({ action: operation, calls: count, errors }) => [
    { labels: { operation, result: 'success' }, value: count - errors },
    { labels: { operation, result: 'error' }, value: errors },
  ]),
});

export const watchesFamily = (count: number): Family => ({
  name: 'apiserver_longrunning_requests',
  help: 'Open watches.',
  samples: [{ labels: { verb: 'WATCH' }, value: count }],
});
