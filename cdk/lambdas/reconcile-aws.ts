import { workerClasses } from '../worker-classes.ts';
import { defineLambda, passSeconds } from './lambda.ts';
import { withSecrets, workers } from './workers.ts';

export const reconcileAws = defineLambda({
  entry: 'reconcile/aws.ts',
  does: 'workers that act on the account',
  megabytes: 512,
  seconds: passSeconds,
  environment: ['reconciling'],
  kilobytes: { atOnce: 254, all: 3660 },
  // After a thaw it requeues all objects.
  uses: {
    ...workers('aws'),
    wakes: workerClasses,
    // The preflight judges the files that users give; the control plane's controller judges authorities.
    secrets: ['bootstrap', 'others'],
    mark: 'write',
    workflows: true,
    account: 'all',
    // Only who makes a cluster of EKS may mint tokens for it, which its kubeconfig holds.
    withEks: { objects: withSecrets, secrets: 'write' },
  },
});
