/** ServiceAccounts of an installation: their tokens authenticate, beside other identities. */

import type { Installation } from '../kinds/capstan/installation/index.ts';
import { installationName } from '../kinds/common/installation.ts';
import { accountTokenOf, isAccountToken } from '../machinery/accounts/bearer.ts';
import { accountExtensions } from '../machinery/accounts/extensions.ts';
import type { Accounts } from '../machinery/accounts/index.ts';
import type { KeyDemands } from '../machinery/accounts/signing-keys.ts';
import type { User } from '../machinery/api/kind.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { ServerOptions, TokenIssuer } from '../machinery/server/index.ts';
import type { Foundation } from './foundation.ts';

export interface AccountsSettings {
  /** The URL of the API, if its tokens must be valid elsewhere too; as inside of any cluster by default. */
  issuer?: string | undefined;
  /** PEM; absent where clients know the authority of the API's certificate anyway. */
  certificateAuthority?: string | undefined;
}

type Authenticate = ServerOptions['authenticate'];

const internalIssuer = 'https://kubernetes.default.svc.cluster.local';

const theInstallation = { namespace: '', name: installationName };

const keyDemands = (installation: KubeObject | undefined): KeyDemands => {
  const { replaceBefore, revokeBefore } = (installation as Installation | undefined)?.spec?.tokenKeys ?? {};
  return {
    ...(replaceBefore !== undefined && { replaceBefore: Date.parse(replaceBefore) }),
    ...(revokeBefore !== undefined && { revokeBefore: Date.parse(revokeBefore) }),
  };
};

export const composeAccounts = (foundation: Foundation, { issuer, certificateAuthority }: AccountsSettings) => {
  const { objects: table, keys, store, clock, random } = foundation;
  let accounts: Accounts | undefined;
  const load = async (): Promise<Accounts> => {
    const { createAccounts } = await import('../machinery/accounts/index.ts');
    accounts ??= createAccounts({
      table,
      keys,
      store,
      clock,
      random,
      issuer: issuer ?? internalIssuer,
      demands: async () => keyDemands(await store.get('installations.capstan.dev', theInstallation)),
      certificateAuthority,
    });
    return accounts;
  };
  const verify = async (token: string, audiences: readonly string[]) =>
    isAccountToken(token) ? (await load()).verify(token, audiences) : undefined;

  const tokenIssuer: TokenIssuer = {
    verify,
    metadata: async (origin) => (await load()).metadataDocument(issuer ?? origin),
    keys: async () => (await load()).keysDocument(),
  };
  return {
    issuer: tokenIssuer,
    extensions: accountExtensions(load, () => accounts),
    /** An OpenID provider that the deployment trusts may issue tokens of ServiceAccounts, too: those of another cluster. */
    authenticates:
      (others: Authenticate): Authenticate =>
      async (request): Promise<User | undefined> => {
        const user = await others(request);
        if (user) return user;
        const token = accountTokenOf(request);
        return token === undefined ? undefined : (await verify(token, []))?.user;
      },
  };
};
