/** What users added to the account beside resources. Survives restarts. */
import { refuse } from './errors.ts';
import { requireRegion } from './regions.ts';
import type { AccountState } from './state.ts';

const keyPair = (region: string, name: string): string => `key-pair/${region}/${name}`;
const profile = (name: string): string => `instance-profile/${name}`;

export const isKeyPairAdded = ({ added }: AccountState, region: string, name: string): boolean =>
  added.get(keyPair(region, name)) !== undefined;
export const isProfileAdded = ({ added }: AccountState, name: string): boolean =>
  added.get(profile(name)) !== undefined;

const namesUnder = ({ added }: AccountState, prefix: string): string[] =>
  added.entries().flatMap(([key]) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
export const keyPairsAdded = (account: AccountState, region: string): string[] =>
  namesUnder(account, keyPair(region, ''));
export const profilesAdded = (account: AccountState): string[] => namesUnder(account, profile(''));

export const addKeyPair = (account: AccountState, region: string, name: string): void => {
  requireRegion(region);
  if (isKeyPairAdded(account, region, name))
    refuse('InvalidKeyPair.Duplicate', `The keypair '${name}' already exists.`);
  account.added.put(keyPair(region, name), true);
};

/** Profiles belong to no region. */
export const addProfile = (account: AccountState, name: string): void => {
  if (isProfileAdded(account, name)) refuse('EntityAlreadyExists', `Instance Profile ${name} already exists.`);
  account.added.put(profile(name), true);
};
