import { defineLambda } from './lambda.ts';

export const watch = defineLambda({
  entry: 'watch.ts',
  does: 'the Kubernetes API: lists and watches',
  // An open watch pays for memory all the time. Lists are read and written page by page, which takes 20 MB beside the
  // code with a small young generation, and 70 MB with Node's own.
  megabytes: 160,
  node: '--max-semi-space-size=2',
  // A watch ends within five minutes; the rest is for a clean end.
  seconds: 320,
  // Lists beside the watches.
  reserved: (watches) => watches + 20,
  environment: ['serving'],
  kilobytes: { atOnce: 273, all: 2180 },
  // Before its first answer it creates what every installation has. Lists and watches of Secrets are answered by `api`.
  uses: {
    objects: {
      types: [
        'namespaces',
        'installations.capstan.dev',
        'awsclustercontrolleridentities.infrastructure.cluster.x-k8s.io',
      ],
    },
    lists: true,
    counts: true,
    audits: true,
    webhooks: true,
  },
});
