/** The Kubernetes API over the store, for users of AWS or an OpenID provider. */
import { type AuditLog, auditLog } from '../../adapters/aws/audit/log-group.ts';
import {
  createAuthenticate,
  createMappings,
  type IdentityMapping,
  type NamedUsers,
  withMappings,
  withNamedGroups,
} from '../../adapters/aws/identity/index.ts';
import { cloudWatchLogs } from '../../adapters/aws/lambda/clients.ts';
import { accessEntry } from '../../kinds/capstan/access-entry/kind.ts';
import { newInstallationSpec } from '../../kinds/capstan/installation/new.ts';
import { withoutCredentials } from '../../kinds/common/credentials.ts';
import { administratorsGroup, breakGlassGroup, viewersGroup } from '../../kinds/common/groups.ts';
import { resourceOf } from '../../machinery/api/kind.ts';
import { createPlaces } from '../../machinery/places.ts';
import type { Log } from '../../machinery/ports.ts';
import {
  type ApiServer,
  type ClientRates,
  createWatchLimit,
  type Rights,
  type ServerOptions,
  type WatchLimit,
} from '../../machinery/server/index.ts';
import { composeApi } from '../../runtime/api.ts';
import { ensureFirstObjects } from '../../runtime/first-objects.ts';
import type { Foundation } from '../../runtime/foundation.ts';
import type { Metrics } from '../../runtime/metrics/index.ts';
import { composeRights } from '../../runtime/rights.ts';
import type { ServingEnvironment } from '../environment.ts';
import { foundationOf } from './aws-ports.ts';
import { withBreakGlass } from './break-glass.ts';

export interface Serving {
  server: ApiServer;
  log: Log;
  /** Prefix of the API's paths. */
  basePath: string;
  /** Resolves when the audit log has every answered request. Lambda freezes the process after an answer. */
  recorded(): Promise<void>;
}

export interface ServingOptions extends Pick<ServerOptions, 'authenticate' | 'clientRates' | 'redact'> {
  /** The URL of the API, which issues tokens of ServiceAccounts. */
  issuer?: string | undefined;
  /** The rights of users, made of those in the store. */
  rightsOf?: (stored: Rights) => Rights;
  /** Whether it repairs the default policy at its start. */
  keepsPolicy?: boolean;
  audit?: AuditLog;
  basePath?: string;
  /** Maximum of concurrent watches over all processes; absent = unlimited. */
  watches?: number | undefined;
  /** Maximum of objects that a list holds at once; absent = all. */
  longestList?: number | undefined;
  metrics?: Pick<Metrics, 'page'>;
}

/** Milliseconds that API Gateway waits for a response. */
const longest = 30_000;

/**
 * Milliseconds that a counted watch lasts. Below the five minutes after which API Gateway ends an idle
 * stream, so that an idle watch ends cleanly.
 */
export const longestWatch = 285_000;

/** A user: what kubectl allows itself, so that a stock client never meets it. An address: a few users behind it. */
export const clientRates: ClientRates = {
  perAddress: { rate: 100, burst: 600 },
  perUser: { rate: 50, burst: 300 },
};

/** Runs once per process before its first answer, and again with the next request if it fails. */
const beginning = (begin: () => Promise<void>): (() => Promise<void>) => {
  let begun: Promise<void> | undefined;
  return () => {
    begun ??= begin().catch((error: unknown) => {
      begun = undefined;
      throw error;
    });
    return begun;
  };
};

const watchLimitOf = ({ objects: table, clock, random }: Foundation, most: number): WatchLimit =>
  createWatchLimit({
    places: createPlaces({ table, clock, random, name: 'watches', most }),
    most,
    longest: longestWatch,
    clock,
    random,
  });

export const createServing = (foundation: Foundation, options: ServingOptions): Serving => {
  const { authenticate, rightsOf = withBreakGlass, keepsPolicy = true, clientRates, audit, redact } = options;
  const { basePath = '', watches, longestList, issuer, metrics } = options;
  const policy = composeRights(foundation);
  const begun = beginning(async () => {
    await ensureFirstObjects(foundation, newInstallationSpec);
    if (keepsPolicy) await policy.ensureDefaults();
  });
  // Any AWS identity passes authentication. Its requests must write nothing, or they would wake an
  // installation that sleeps.
  const onceBegun = (rights: Rights): Rights => ({
    ...rights,
    authorize: async (attributes) => {
      const decision = await rights.authorize(attributes);
      if (decision.allowed) await begun();
      return decision;
    },
  });
  const mappings = foundation.marked.copy({ entries: resourceOf(accessEntry) }, ({ entries }) =>
    createMappings(entries.map(({ spec }) => (spec ?? {}) as IdentityMapping)),
  );
  const watchLimit = watches === undefined ? undefined : watchLimitOf(foundation, watches);
  const server = composeApi(foundation, {
    authenticate: withMappings(authenticate, mappings.now),
    issuer,
    policy,
    rightsOf: (stored) => onceBegun(rightsOf(stored)),
    ...(clientRates && { clientRates }),
    longest,
    ...(audit && { audit: audit.audit }),
    ...(redact && { redact }),
    ...(metrics && { metrics: metrics.page }),
    ...(watchLimit && { watchLimit }),
    ...(longestList && { longestList }),
  });
  return { server, log: foundation.log, basePath, recorded: async () => audit?.written() };
};

/** The users whom the deployment names, by group. */
export const namedUsers = ({
  ADMINISTRATORS,
  VIEWERS,
  BREAK_GLASS,
}: Pick<ServingEnvironment, 'ADMINISTRATORS' | 'VIEWERS' | 'BREAK_GLASS'>): NamedUsers => ({
  [administratorsGroup]: ADMINISTRATORS,
  [viewersGroup]: VIEWERS,
  // A user who can deploy can name an identity here anyway.
  [breakGlassGroup]: BREAK_GLASS.length > 0 ? BREAK_GLASS : ADMINISTRATORS,
});

export interface ServingProcess {
  /** Reads and writes lists page by page, because the process has too little memory for all objects of a type. */
  hasLittleMemory?: boolean;
  /** What `/metrics` answers; absent = it is not served. */
  metricsOf?: (foundation: Foundation) => Pick<Metrics, 'page'>;
}

export const servingOf = (
  environment: ServingEnvironment,
  { hasLittleMemory = false, metricsOf }: ServingProcess = {},
): Serving => {
  const foundation = foundationOf(environment, {
    ...(hasLittleMemory && { pageBytes: 1024 * 1024 }),
  });
  const { INSTALLATION, CLUSTER_ID = INSTALLATION, AWS_REGION, AWS_ENDPOINT_URL_STS: endpoint } = environment;
  const sts = { clusterId: CLUSTER_ID, region: AWS_REGION, ...(endpoint !== undefined && { endpoint }) };
  const { clock, log } = foundation;
  const { AUDIT_LOG_GROUP: logGroupName, AWS_LAMBDA_LOG_STREAM_NAME: logStreamName } = environment;
  const authenticate = createAuthenticate(
    { ...(environment.STS === 'true' && { sts }), oidc: environment.OIDC },
    { fetch: globalThis.fetch, clock, log },
  );
  return createServing(foundation, {
    authenticate: withNamedGroups(authenticate, namedUsers(environment)),
    issuer: environment.ISSUER,
    keepsPolicy: !hasLittleMemory,
    clientRates,
    ...(logGroupName && { audit: auditLog({ client: cloudWatchLogs(), logGroupName, logStreamName, clock, log }) }),
    ...(environment.AUDIT_LEVEL === 'Request' && { redact: withoutCredentials }),
    basePath: environment.BASE_PATH,
    watches: environment.WATCHES,
    longestList: hasLittleMemory ? 250 : undefined,
    ...(metricsOf && { metrics: metricsOf(foundation) }),
  });
};
