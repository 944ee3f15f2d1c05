/** Replaces the keys that sign tokens of ServiceAccounts, before their time. */
import type { ApiClient } from './client.ts';
import { confirm } from './confirm.ts';
import { installationPath, readInstallation } from './installation.ts';

export interface ReplaceOptions {
  /** Refuses what the keys have signed, too. */
  revoke?: boolean;
  yes?: boolean;
}

const consequences = `This ends every token of every ServiceAccount, also those in Secrets of the type
kubernetes.io/service-account-token, which get no new ones: delete and create these Secrets again.`;

/** `now`: milliseconds since the epoch. */
export const replaceTokenKeys = async (
  client: ApiClient,
  { revoke = false, yes = false }: ReplaceOptions,
  now: number,
): Promise<string> => {
  const { metadata } = await readInstallation(client);
  if (revoke && !yes) await confirm(consequences, metadata.name);
  const time = new Date(now).toISOString();
  const tokenKeys = revoke ? { revokeBefore: time } : { replaceBefore: time };
  const body = JSON.stringify({ spec: { tokenKeys } });
  await client.json('PATCH', installationPath, { body, contentType: 'application/merge-patch+json' });
  const signs = 'Within ten seconds a new key signs tokens of ServiceAccounts';
  return revoke
    ? `${signs}, and what was signed before ${time} is refused within twenty.`
    : `${signs}. What was signed before stays valid until it expires; --revoke ends it.`;
};
