/** The parts of IAM, and of key pairs, that launches refer to. */
import { createHash } from 'node:crypto';
import { refuse } from './errors.ts';
import { partitionOf } from './regions.ts';
import { isRemoved } from './removed.ts';
import type { AccountState, Handlers } from './state.ts';

const profiles = ['control-plane', 'nodes', 'controllers'].map(
  (role) => `${role}.cluster-api-provider-aws.sigs.k8s.io`,
);

export const hasProfile = (account: AccountState, name: string): boolean =>
  profiles.includes(name) && !isRemoved(account, 'instance-profile', name);

export const profileArn = (account: AccountState, region: string, name: string): string =>
  `arn:${partitionOf(region)}:iam::${account.accountId}:instance-profile/${name}`;

export const hasKeyPair = (account: AccountState, name: string): boolean =>
  (account.behaviour.keyPairs?.includes(name) ?? true) && !isRemoved(account, 'key-pair', name);

export const noSuchKeyPair = (name: string): never =>
  refuse('InvalidKeyPair.NotFound', `The key pair '${name}' does not exist`);

export const identityActions = {
  GetInstanceProfile: ({ account, region }, { InstanceProfileName }) => {
    if (!hasProfile(account, InstanceProfileName))
      refuse('NoSuchEntity', `Instance Profile ${InstanceProfileName} cannot be found.`);
    return { InstanceProfile: { InstanceProfileName, Arn: profileArn(account, region, InstanceProfileName) } };
  },

  DescribeKeyPairs: ({ account }, { KeyNames }) => ({
    KeyPairs: (KeyNames ?? account.behaviour.keyPairs?.filter((name) => hasKeyPair(account, name)) ?? []).map(
      (KeyName) => {
        if (!hasKeyPair(account, KeyName)) noSuchKeyPair(KeyName);
        return { KeyName, KeyPairId: `key-${createHash('sha256').update(KeyName).digest('hex').slice(0, 17)}` };
      },
    ),
  }),
} satisfies Handlers;
