/**
 * The front: the Kubernetes API as a permanent process, for an installation with many watchers. It
 * reads the log once for all watchers and is stateless, so that another front can replace it.
 */

import { hostname } from 'node:os';
import { type Peer, serve } from '../adapters/node/index.ts';
import { createAuthority, issue } from '../adapters/pki/index.ts';
import { servingOf } from '../lambdas/runtime/serving.ts';
import { createMetrics } from '../runtime/metrics/index.ts';
import { frontEnvironment } from './environment.ts';

/** Issued by its own CA at each start: clients see only the certificate of the load balancer. */
const ownIdentity = () => {
  const made = { days: 3650, algorithm: 'ECDSA-P256', now: Date.now() } as const;
  const ca = createAuthority({ subject: { commonName: 'capstan-front' }, ...made });
  return issue({ subject: { commonName: 'capstan-front' }, sans: ['localhost'], usages: ['server'], ca, ...made });
};

/** The load balancer preserves the client's address; a client's own claim must neither be limited nor recorded. */
const from = (request: Request, { address }: Peer): Request => {
  if (address === undefined) request.headers.delete('x-forwarded-for');
  else request.headers.set('x-forwarded-for', address);
  return request;
};

/** A client with many watches opens a connection for each. */
const connectionsPerAddress = 500;

const environment = frontEnvironment({ ...process.env, AWS_LAMBDA_LOG_STREAM_NAME: `front/${hostname()}` });
const { server, log, recorded } = servingOf(environment, {
  metricsOf: ({ store, kinds }) => createMetrics({ list: store.list, typeOf: kinds.typeOf }),
});
const identity = ownIdentity();

/** Pending responses. An API server completes a request even if its client disconnected. */
const answers = new Set<Promise<Response>>();
const fetch = async (request: Request, peer: Peer): Promise<Response> => {
  const answer = server.fetch(from(request, peer));
  answers.add(answer);
  try {
    return await answer;
  } finally {
    answers.delete(answer);
  }
};

const listener = await serve({
  host: environment.HOST,
  port: environment.PORT,
  connectionsPerAddress,
  identity: () => identity,
  fetch,
  onError: (error) => log.error('A connection failed', { error }),
});
log.info('The front serves', { host: environment.HOST, port: listener.port });

/** Ends watches; their clients reconnect to another front. The audit log gets every request. */
const end = () =>
  void listener
    .close()
    .then(() => Promise.all(answers))
    .then(recorded)
    .finally(() => process.exit(0));
process.once('SIGTERM', end);
process.once('SIGINT', end);
