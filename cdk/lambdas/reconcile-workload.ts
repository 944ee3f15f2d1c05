import { defineLambda, passSeconds } from './lambda.ts';
import { withSecrets, workers } from './workers.ts';

export const reconcileWorkload = defineLambda({
  entry: 'reconcile/workload.ts',
  does: 'workers that speak to clusters',
  // Checks a stored snapshot in a file: etcd's quota is 2 GiB unless it is raised.
  megabytes: 512,
  scratch: 3072,
  seconds: passSeconds,
  environment: ['reconciling', 'clusters'],
  kilobytes: { atOnce: 228, all: 2890 },

  // An ExtensionConfig gets the certificates of a Secret.
  uses: { ...workers('workload', withSecrets), secrets: 'write', mark: 'write', marks: true, snapshots: true },
});
