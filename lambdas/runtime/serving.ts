/** The Kubernetes API over the store, for who is known by AWS or by an OpenID provider. */

import { administrators, createAuthenticate } from '../../adapters/aws/identity/index.ts';
import { kindsOnDemand, providerOnDemand } from '../../kinds/on-demand.ts';
import { quotaExtensions } from '../../kinds/quota-extensions.ts';
import { ensureObjects } from '../../local/ensure.ts';
import { builtAt, version } from '../../local/version.ts';
import type { Log } from '../../machinery/ports.ts';
import {
  type ApiServer,
  type Authorize,
  crdKind,
  createRegistry,
  createServer,
  ensureNamespaces,
  namespaceExtension,
  published,
  publishedCrds,
  type ServerOptions,
} from '../../machinery/server/index.ts';
import type { ServingEnvironment } from '../environment.ts';
import { foundationOf } from './doors.ts';
import type { Foundation } from './foundation.ts';

export interface Serving {
  server: ApiServer;
  log: Log;
  /** In front of the API's own paths. */
  basePath: string;
}

export interface ServingOptions {
  authenticate: ServerOptions['authenticate'];
  authorize: Authorize;
  basePath?: string;
}

/** Milliseconds for which API Gateway waits for an answer. */
const longest = 30_000;

/** Done once a process, before its first answer; tried again with the next request when it fails. */
const beginning = ({ store, clock, random, kinds, writer }: Foundation): (() => Promise<void>) => {
  const begin = async () => {
    await ensureNamespaces(store, clock, random);
    const [{ defaultIdentity }, { theInstallation }] = await Promise.all([
      import('../../kinds/aws-cluster-controller-identity/index.ts'),
      import('../../kinds/installation/index.ts'),
    ]);
    await ensureObjects({ kinds, writer }, [defaultIdentity, theInstallation]);
  };
  let begun: Promise<void> | undefined;
  return () => {
    begun ??= begin().catch((error: unknown) => {
      begun = undefined;
      throw error;
    });
    return begun;
  };
};

export const createServing = (foundation: Foundation, options: ServingOptions): Serving => {
  const { store, clock, random, log } = foundation;
  const { authenticate, authorize, basePath = '' } = options;
  const registry = createRegistry(kindsOnDemand, { namespaces: namespaceExtension, ...quotaExtensions(store) });
  registry.add(crdKind, publishedCrds(registry, builtAt));
  const providers = async () => (await import('../../kinds/provider/index.ts')).theProviders;
  registry.add(providerOnDemand, published(providers, builtAt));
  const begun = beginning(foundation);
  const identified: ServerOptions['authenticate'] = async (request) => {
    const user = await authenticate(request);
    // Strangers make nobody write.
    if (user) await begun();
    return user;
  };
  const server = createServer({
    kinds: registry,
    store,
    clock,
    random,
    authenticate: identified,
    authorize,
    version,
    longest,
    log,
  });
  return { server, log, basePath };
};

export const servingOf = (environment: ServingEnvironment): Serving => {
  const foundation = foundationOf(environment);
  const { INSTALLATION, CLUSTER_ID = INSTALLATION, AWS_REGION, AWS_ENDPOINT_URL_STS: endpoint } = environment;
  const sts = { clusterId: CLUSTER_ID, region: AWS_REGION, ...(endpoint !== undefined && { endpoint }) };
  const { clock, log } = foundation;
  return createServing(foundation, {
    authenticate: createAuthenticate(
      { ...(environment.STS === 'true' && { sts }), oidc: environment.OIDC },
      { fetch: globalThis.fetch, clock, log },
    ),
    authorize: administrators(environment.ADMINISTRATORS),
    basePath: environment.BASE_PATH,
  });
};
