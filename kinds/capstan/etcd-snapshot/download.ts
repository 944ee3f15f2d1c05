/**
 * Offers the stored file for download: a Secret with a link to it, for a few minutes. A user
 * who may read Secrets may also read those that the file holds. Pure.
 */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { type Context, found, type Plan, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { controllerReference, deletionOf, isOwnedBy, patchAsObserved } from '../../common/owners.ts';
import { clusterSecret, type Secret } from '../../core/contract/cluster-secrets.ts';
import { askSnapshots } from '../../ports/index.ts';
import type { EtcdSnapshot, EtcdSnapshotStatus } from './schema.ts';

/** A user sets it to a new value to have the file offered. */
export const downloadAnnotation = 'capstan.dev/download';

/** Seconds. */
const offeredFor = 900;
const longestName = 253;

export const downloadSecretName = (snapshot: string): string => {
  const ending = '-download';
  return `${snapshot.slice(0, longestName - ending.length)}${ending}`;
};

export interface Offer {
  secret: Read<Secret>;
  /** Present while a request is not answered. */
  link?: Read<{ url: string }>;
}

const requestOf = ({ metadata, status }: EtcdSnapshot): string | undefined => {
  const request = metadata.annotations?.[downloadAnnotation];
  return request !== undefined && request !== status?.download?.request ? request : undefined;
};

/** Undefined if nothing is asked for or offered. */
export const observeOffer = (snapshot: EtcdSnapshot, read: Reader): Offer | undefined => {
  const { location, download, phase } = snapshot.status ?? {};
  const isRequested = phase === 'Succeeded' && location !== undefined && requestOf(snapshot) !== undefined;
  if (!isRequested && download?.expires === undefined) return undefined;
  const { namespace = '', name } = snapshot.metadata;
  const secret = read.get<Secret>('Secret', { namespace, name: downloadSecretName(name) });
  return { secret, ...(isRequested && { link: askSnapshots(read, 'Link', { location, seconds: offeredFor }) }) };
};

const secretOf = (snapshot: EtcdSnapshot, url: string, expires: string): Secret => {
  const { namespace = '', name } = snapshot.metadata;
  const { spec, status } = snapshot;
  return clusterSecret({
    namespace,
    name: downloadSecretName(name),
    cluster: spec?.clusterName ?? '',
    owner: controllerReference(snapshot),
    values: { url, expires, checksum: status?.checksum ?? '', size: String(status?.size ?? '') },
  });
};

const answer = (
  snapshot: EtcdSnapshot,
  { secret, url }: { secret: Read<Secret>; url: string },
  now: number,
): Plan<EtcdSnapshotStatus> => {
  const expires = timestamp(now + offeredFor * 1000);
  const status = { ...snapshot.status, download: { request: requestOf(snapshot) ?? '', expires } };
  const next = secretOf(snapshot, url, expires);
  const present = found(secret);
  // A Secret of this name that a user made stays as it is.
  if (present && !isOwnedBy(present, snapshot)) {
    const message = `Secret ${present.metadata.name} is not of this snapshot`;
    return {
      status: { ...status, download: { request: status.download.request, message } },
      events: [{ type: 'Warning', reason: 'DownloadRefused', message }],
    };
  }
  const action = present
    ? patchAsObserved(present, { data: next.data ?? {} })
    : ({ do: 'create', object: next } as const);
  return { actions: [action], status, requeueAfter: offeredFor };
};

/** Undefined if there is nothing to do now. */
export const offer = (
  snapshot: EtcdSnapshot,
  { secret, link }: Offer,
  { now }: Pick<Context, 'now'>,
): Plan<EtcdSnapshotStatus> | undefined => {
  if (secret.state === 'unread' || secret.state === 'unreadable') return undefined;
  if (link)
    return link.state === 'found' ? answer(snapshot, { secret, url: link.value.url }, now) : { requeueAfter: 15 };
  const { request = '', expires } = snapshot.status?.download ?? {};
  const left = Math.ceil((Date.parse(expires ?? '') - now) / 1000);
  if (left > 0) return { requeueAfter: left };
  const old = found(secret);
  return {
    actions: old && isOwnedBy(old, snapshot) ? [deletionOf(old)] : [],
    status: { ...snapshot.status, download: { request } },
  };
};
