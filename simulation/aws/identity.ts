/** The parts of IAM, and of key pairs, that launches refer to. */
import { createHash } from 'node:crypto';
import { isKeyPairAdded, isProfileAdded, keyPairsAdded, profilesAdded } from './added.ts';
import { refuse } from './errors.ts';
import { partitionOf } from './regions.ts';
import { isRemoved } from './removed.ts';
import type { AccountState, Handlers } from './state.ts';

const profiles = ['control-plane', 'nodes', 'controllers'].map(
  (role) => `${role}.cluster-api-provider-aws.sigs.k8s.io`,
);

export const hasProfile = (account: AccountState, name: string): boolean =>
  (profiles.includes(name) || isProfileAdded(account, name)) && !isRemoved(account, 'instance-profile', name);

export const profileNames = (account: AccountState): string[] => [
  ...profiles.filter((name) => hasProfile(account, name)),
  ...profilesAdded(account),
];

export const profileArn = (account: AccountState, region: string, name: string): string =>
  `arn:${partitionOf(region)}:iam::${account.accountId}:instance-profile/${name}`;

export const hasKeyPair = (account: AccountState, region: string, name: string): boolean =>
  ((account.behaviour.keyPairs?.includes(name) ?? true) || isKeyPairAdded(account, region, name)) &&
  !isRemoved(account, 'key-pair', name);

const keyPairNames = (account: AccountState, region: string): string[] =>
  [...(account.behaviour.keyPairs ?? []), ...keyPairsAdded(account, region)].filter((name) =>
    hasKeyPair(account, region, name),
  );

export const noSuchKeyPair = (name: string): never =>
  refuse('InvalidKeyPair.NotFound', `The key pair '${name}' does not exist`);

export const identityActions = {
  GetInstanceProfile: ({ account, region }, { InstanceProfileName }) => {
    if (!hasProfile(account, InstanceProfileName))
      refuse('NoSuchEntity', `Instance Profile ${InstanceProfileName} cannot be found.`);
    return { InstanceProfile: { InstanceProfileName, Arn: profileArn(account, region, InstanceProfileName) } };
  },

  DescribeKeyPairs: ({ account, region }, { KeyNames }) => ({
    KeyPairs: (KeyNames ?? keyPairNames(account, region)).map((KeyName) => {
      if (!hasKeyPair(account, region, KeyName)) noSuchKeyPair(KeyName);
      return { KeyName, KeyPairId: `key-${createHash('sha256').update(KeyName).digest('hex').slice(0, 17)}` };
    }),
  }),
} satisfies Handlers;
