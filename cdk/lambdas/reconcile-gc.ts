import { defineLambda, passSeconds } from './lambda.ts';
import { workers } from './workers.ts';

export const reconcileGc = defineLambda({
  entry: 'reconcile/gc.ts',
  does: 'garbage collection and namespaces',
  megabytes: 512,
  seconds: passSeconds,
  environment: ['reconciling'],
  kilobytes: { atOnce: 237, all: 1790 },
  // It deletes objects of every kind, rewrites owner references, which an encrypted body contains, and encrypts anew what an
  // older version encrypted.
  uses: { ...workers('gc', { types: ['*'] }), secrets: 'write', mark: 'read' },
});
