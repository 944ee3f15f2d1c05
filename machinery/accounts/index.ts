/** ServiceAccounts: their tokens, and what the API serves of them. */
import type { KubeObject, ObjectKey } from '../api/object.ts';
import type { Clock, Keys, Random, Table } from '../ports.ts';
import type { Call } from '../server/call.ts';
import type { Store } from '../store/store.ts';
import { keysDocument, metadataDocument } from './documents.ts';
import { requestToken } from './requests.ts';
import { type KeyDemands, openSigningKeys } from './signing-keys.ts';
import { withToken } from './token-secrets.ts';
import { createAccountTokens } from './tokens.ts';

export interface AccountsOptions {
  /** The table of objects. */
  table: Table;
  keys: Keys;
  store: Store;
  clock: Clock;
  random: Random;
  issuer: string;
  /** Read at most every ten seconds. */
  demands: () => Promise<KeyDemands>;
  /** PEM; absent where clients know the authority of the API's certificate anyway. */
  certificateAuthority?: string | undefined;
}

export const createAccounts = ({
  table,
  keys: wrapping,
  demands,
  certificateAuthority,
  ...options
}: AccountsOptions) => {
  const { store, clock, issuer } = options;
  const keys = openSigningKeys({ table, keys: wrapping, clock, demands });
  const tokens = createAccountTokens({ ...options, keys });
  return {
    ...tokens,
    request: (call: Call, key: ObjectKey, body: unknown) => requestToken(tokens, call, key, body),
    fill: (secret: KubeObject) => withToken({ tokens, store, certificateAuthority }, secret),
    metadataDocument: (url: string) => metadataDocument(issuer, url),
    keysDocument: () => keysDocument(keys),
  };
};

export type Accounts = Awaited<ReturnType<typeof createAccounts>>;
