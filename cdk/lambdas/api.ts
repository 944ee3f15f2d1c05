import { defineLambda } from './lambda.ts';

export const api = defineLambda({
  entry: 'api.ts',
  does: 'the Kubernetes API: everything but lists and watches',
  // Memory for the deletion of a large collection, which it reads whole.
  megabytes: 1024,
  // Below the gateway's timeout, so that the function reports what took so long.
  seconds: 28,
  // Requests that are answered at once.
  reserved: () => 50,
  environment: ['serving'],
  kilobytes: { atOnce: 275, all: 2180 },

  uses: { objects: 'write', secrets: 'write', signs: true, audits: true, webhooks: true },
});
