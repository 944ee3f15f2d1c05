/** What the API serves of ServiceAccounts. The first request for a token loads it. */

import { accountType, isTokenSecret, secretType } from '../api/service-account.ts';
import type { Extension } from '../server/registry.ts';
import type { Accounts } from './index.ts';

/** Extensions of the registry by resource. `loaded`: absent before the first use. */
export const accountExtensions = (load: () => Promise<Accounts>, loaded: () => Accounts | undefined) => {
  const changed = () => loaded()?.changed();
  return {
    [accountType]: {
      subresources: {
        token: {
          kind: 'TokenRequest',
          group: 'authentication.k8s.io',
          version: 'v1',
          verbs: ['create'],
          handle: async (call, key, body) => (await load()).request(call, key, body),
        },
      },
      changed,
    },
    [secretType]: {
      admit: async (secret) => (isTokenSecret(secret) ? (await load()).fill(secret) : secret),
      changed,
    },
  } satisfies Record<string, Extension>;
};
