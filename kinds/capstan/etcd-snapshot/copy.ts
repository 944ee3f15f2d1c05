/** A snapshot that is the copy of another cluster's, for a cluster that begins with it. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Plan, type Read } from '../../../machinery/api/reconcile.ts';
import { callSnapshots } from '../../ports/index.ts';
import type { Exclusion } from '../../ports/snapshots.ts';
import type { EtcdSnapshot, EtcdSnapshotStatus } from './schema.ts';
import { attempt, begin, failed, isDamage, manifestOf } from './taking.ts';

type Plans = Plan<EtcdSnapshotStatus>;

const hasFile = ({ status }: EtcdSnapshot): boolean =>
  status?.phase === 'Succeeded' && status.location !== undefined && status.checksum !== undefined;

export const copying = (
  snapshot: EtcdSnapshot,
  cluster: KubeObject,
  read: Read<EtcdSnapshot>,
  context: Context,
): Plans => {
  const { name = '', without = [] } = snapshot.spec?.source ?? {};
  const original = found(read);
  if (read.state === 'absent' || (original && !hasFile(original)))
    return failed(snapshot, 'NoSource', `EtcdSnapshot ${name} has no complete file to copy`, context.now);
  if (!original) return {};
  const { lastFailure } = context;
  if (lastFailure && (isDamage(lastFailure) || lastFailure.code === 'NotFound'))
    return failed(snapshot, 'CopyFailed', `EtcdSnapshot ${name} cannot be copied: ${lastFailure.message}`, context.now);
  const message = `Copying EtcdSnapshot ${name}`;
  const { location: from = '', checksum = '', revision = 0 } = original.status ?? {};
  const { member = '', etcdVersion = '', kubernetesVersion = '' } = original.status ?? {};
  const { location } = snapshot.status ?? {};
  if (location === undefined)
    return begin(snapshot, cluster.metadata.uid ?? '', context, {
      message,
      member,
      revision,
      etcdVersion,
      kubernetesVersion,
    });
  const manifest = manifestOf(snapshot, cluster, { member, etcdVersion, kubernetesVersion });
  const call = callSnapshots('Copy', { from, checksum, without: without as Exclusion[], location, manifest });
  return attempt(snapshot, call, context, { message });
};
