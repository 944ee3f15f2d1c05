/** The bootstrap data of a pool's instances: stored where each instance reads it when it starts. Pure. */
import type { Action, Failure } from '../../../machinery/api/reconcile.ts';
import { patchOf } from '../../common/owners.ts';
import { callCloud } from '../../ports/index.ts';
import { deleteSecret } from '../aws-machine/secrets.ts';
import { pointerTo, secretNames, splitForSecrets } from '../aws-machine/user-data.ts';
import { digest, tagList } from '../engine/tags.ts';
import { type Note, storedDataAnnotation, storedDataOf, storedDataText } from './note.ts';
import type { AWSMachinePool } from './schema.ts';

export interface Bootstrap {
  data: Buffer;
  hash: string;
}

const group = 'bootstrap-data';
export const isAboutData = ({ group: of }: Action): boolean => of === group;

/** How many secrets the data takes. */
export const partsOf = ({ data }: Bootstrap, prefix: string): number => splitForSecrets(prefix, data).chunks.length;

/** Base64. It names the secrets, so that a change of what they hold is no change of the template. */
export const userDataOf = ({ region, secrets: { prefix } }: Note, chunks: number): string =>
  Buffer.from(pointerTo(region, { prefix, chunks, isShared: true })).toString('base64');

/** Whether the data that instances read is the current one. */
export const isStored = (pool: AWSMachinePool, { hash }: Bootstrap): boolean => storedDataOf(pool)?.hash === hash;

/** After a crash a secret may exist that no annotation tells of, or the other way round. */
const isThere = (pool: AWSMachinePool, index: number, failure: Failure | undefined): boolean => {
  if (failure?.operation === 'CreateSecret' && failure.code === 'ResourceExistsException') return true;
  if (failure?.operation === 'PutSecretValue' && failure.code === 'ResourceNotFoundException') return false;
  return index < (storedDataOf(pool)?.count ?? 0);
};

/** Stores the data, then notes that it is stored. */
export const storeData = (
  pool: AWSMachinePool,
  { region, secrets: { prefix } }: Note,
  { data, hash }: Bootstrap,
  tags: Record<string, string>,
  failure: Failure | undefined,
): Action[] => {
  const { chunks } = splitForSecrets(prefix, data);
  const writes = secretNames(prefix, chunks.length).map((name, index) => {
    const ClientRequestToken = digest(64, name, hash);
    const SecretBinary = chunks[index]!;
    return isThere(pool, index, failure)
      ? callCloud(region, 'PutSecretValue', { SecretId: name, ClientRequestToken, SecretBinary })
      : callCloud(region, 'CreateSecret', { Name: name, ClientRequestToken, SecretBinary, Tags: tagList(tags) });
  });
  const stored = { hash, count: Math.max(chunks.length, storedDataOf(pool)?.count ?? 0) };
  const annotations = { [storedDataAnnotation]: storedDataText(stored) };
  return [...writes, patchOf(pool, { metadata: { annotations } })].map((action) => ({ ...action, group }));
};

export const deleteData = (
  pool: AWSMachinePool,
  { region, secrets: { prefix, count } }: Note,
  owned: Record<string, string>,
): Action[] =>
  secretNames(prefix, Math.max(count, storedDataOf(pool)?.count ?? 0)).map((name) => deleteSecret(region, name, owned));
