/** The Kubernetes API over the store. */
import { addressExtensions } from '../kinds/address-extensions.ts';
import { movedExtension } from '../kinds/moved-extension.ts';
import { publishedOnDemand } from '../kinds/on-demand.ts';
import { operationExtension } from '../kinds/operation-extension.ts';
import { poolExtensions } from '../kinds/pool-extensions.ts';
import { protectionExtension } from '../kinds/protection-extension.ts';
import { quotaExtensions } from '../kinds/quota-extensions.ts';
import { topologyExtension } from '../kinds/topology-extension.ts';
import { admissionExtensions } from '../machinery/admission/extensions.ts';
import { quotaType } from '../machinery/api/resource-quota.ts';
import { createQuotas } from '../machinery/quota/quotas.ts';
import { rbacExtensions } from '../machinery/rbac/extensions.ts';
import { referenceExtensions } from '../machinery/rbac/references.ts';
import {
  type ApiServer,
  createRegistry,
  createServer,
  joinExtensions,
  namespaceExtension,
  published,
  type Rights,
  type ServerOptions,
  serveDefinitions,
} from '../machinery/server/index.ts';
import { type AccountsSettings, composeAccounts } from './accounts.ts';
import type { Foundation } from './foundation.ts';
import { composeRights, type PolicyKeeper } from './rights.ts';
import { builtAt, version } from './version.ts';

export interface ApiOptions
  extends Omit<
      ServerOptions,
      'kinds' | 'store' | 'clock' | 'random' | 'version' | 'log' | 'rights' | 'issuer' | 'quotas' | 'admission'
    >,
    AccountsSettings {
  /** The rights of users, made of those in the store; these by default. */
  rightsOf?: (stored: Rights) => Rights;
  policy?: PolicyKeeper;
}

/** `policy`: the installation's, if the caller keeps it. `workflows`: false where the installation runs no operations. */
export const composeApi = (
  foundation: Foundation,
  {
    rightsOf = (stored) => stored,
    policy = composeRights(foundation),
    issuer,
    certificateAuthority,
    authenticate,
    ...options
  }: ApiOptions,
  workflows = true,
): ApiServer => {
  const { store, clock, random, log, catalog, custom, kinds, marked, admission, quotas } = foundation;
  const rights = rightsOf(policy.rights);
  const accounts = composeAccounts(foundation, { issuer, certificateAuthority });
  const extensions = joinExtensions(
    // First: later checks read what is referred to.
    referenceExtensions(rights, catalog.kinds),
    { namespaces: namespaceExtension },
    poolExtensions(store),
    addressExtensions(store),
    quotaExtensions(store, catalog.kinds),
    protectionExtension(store, catalog.kinds),
    movedExtension(store, catalog.kinds),
    operationExtension(store, catalog.kinds, workflows),
    topologyExtension(
      store,
      () => import('./schemas.ts'),
      async (cluster) => {
        const { foretell, linesOf } = await import('./foretell.ts');
        const foretold = await foretell(foundation, cluster, { workflows });
        return { lines: linesOf(foretold), plan: JSON.stringify(foretold) };
      },
    ),
    rbacExtensions(rights, policy.changed),
    accounts.extensions,
    { [quotaType]: { changed: quotas.changed } },
    admissionExtensions(kinds, marked.changed),
  );
  const registry = createRegistry(catalog.kinds, extensions, custom);
  serveDefinitions(registry, { store, clock, created: builtAt });
  for (const kind of publishedOnDemand) registry.add(kind, published(kind.published!, builtAt));
  return createServer({
    ...options,
    quotas: createQuotas(store, quotas.known),
    authenticate: accounts.authenticates(authenticate),
    issuer: accounts.issuer,
    rights,
    admission,
    kinds: registry,
    store,
    clock,
    random,
    version,
    log,
  });
};
