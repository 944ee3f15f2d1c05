/** The account of a cluster, as noted when the first of its resources was made by an identity with a role. */
import type { AWSCluster } from '../aws-cluster/schema.ts';

export const accountAnnotation = 'capstan.dev/account';

/** The account of a role; undefined for another text. */
export const accountIn = (roleArn: string): string | undefined =>
  /^arn:aws[a-z-]*:iam::(\d{12}):role\/[\w+=,.@/-]+$/.exec(roleArn)?.[1];

/** The note counts only on the object that it was written on, not on a copy of its YAML. */
export const notedAccount = ({ metadata }: Pick<AWSCluster, 'metadata'>): string | undefined => {
  const [account, uid] = (metadata.annotations?.[accountAnnotation] ?? '').split('/');
  return account && uid === metadata.uid ? account : undefined;
};

export const accountNote = ({ metadata }: Pick<AWSCluster, 'metadata'>, account: string): string =>
  `${account}/${metadata.uid}`;
