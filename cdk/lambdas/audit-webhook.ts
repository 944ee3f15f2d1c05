import { controllers } from '../../wiring.ts';
import { defineLambda } from './lambda.ts';

export const auditWebhook = defineLambda({
  entry: 'audit-webhook.ts',
  does: 'wakes controllers by reports of the API servers of clusters',
  // Memory is CPU: a cold start must fit into the three seconds until a launch.
  megabytes: 512,
  seconds: 15,
  reserved: () => 10,
  kilobytes: { atOnce: 90, all: 720 },
  // It verifies tokens by their digests, so that it need not read Secrets.
  uses: {
    looksUp: ['r#audit-webhook/*'],
    requests: ['k#workload-prober#clusters.cluster.x-k8s.io', 'k#autoscaler#scalingplans.capstan.dev'],
    wakes: [controllers['workload-prober'].worker],
  },
});
