/**
 * Offers a stored file for download: a Secret with a link to it, for a few minutes. A user who may
 * read Secrets may also read what the file holds. Pure.
 */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Plan, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { controllerReference, deletionOf, isOwnedBy, patchAsObserved } from '../../common/owners.ts';
import { askSnapshots } from '../../ports/index.ts';
import { clusterSecret, type Secret } from './cluster-secrets.ts';
import { downloadAnnotation } from './file-requests.ts';

/** Seconds. */
const offeredFor = 900;
const longestName = 253;

export const downloadSecretName = (name: string, ending = '-download'): string =>
  `${name.slice(0, longestName - ending.length)}${ending}`;

export type Download = { request: string; expires?: string; message?: string };

export interface Downloadable {
  object: KubeObject;
  /** The last offer. */
  download: Download | undefined;
  secretName: string;
  cluster: string;
  /** The key of the file in the installation's storage; undefined if there is none. */
  location: string | undefined;
  /** What the Secret tells besides. */
  values: Record<string, string>;
}

export interface Offer {
  secret: Read<Secret>;
  /** Present while a request is not answered. */
  link?: Read<{ url: string }>;
}

/** The value of the annotation that is not answered. */
export const requestOf = ({ object, download }: Pick<Downloadable, 'object' | 'download'>): string | undefined => {
  const request = object.metadata.annotations?.[downloadAnnotation];
  return request !== undefined && request !== download?.request ? request : undefined;
};

/** Undefined if nothing is asked for or offered. */
export const observeOffer = (file: Downloadable, read: Reader): Offer | undefined => {
  const { object, download, secretName: name, location } = file;
  const isRequested = location !== undefined && requestOf(file) !== undefined;
  if (!isRequested && download?.expires === undefined) return undefined;
  const { namespace = '' } = object.metadata;
  const secret = read.get<Secret>('Secret', { namespace, name });
  return { secret, ...(isRequested && { link: askSnapshots(read, 'Link', { location, seconds: offeredFor }) }) };
};

export type Offered = Pick<Plan, 'actions' | 'events' | 'requeueAfter'> & { download?: Download };

const secretOf = ({ object, secretName, cluster, values }: Downloadable, url: string, expires: string): Secret => {
  const { namespace = '' } = object.metadata;
  return clusterSecret({
    namespace,
    name: secretName,
    cluster,
    owner: controllerReference(object),
    values: { url, expires, ...values },
  });
};

const answer = (file: Downloadable, { secret, url }: { secret: Read<Secret>; url: string }, now: number): Offered => {
  const request = requestOf(file) ?? '';
  const expires = timestamp(now + offeredFor * 1000);
  const next = secretOf(file, url, expires);
  const present = found(secret);
  // A Secret of this name that a user made stays as it is.
  if (present && !isOwnedBy(present, file.object)) {
    const message = `Secret ${present.metadata.name} is not of ${file.object.kind} ${file.object.metadata.name}`;
    return { download: { request, message }, events: [{ type: 'Warning', reason: 'DownloadRefused', message }] };
  }
  const action = present
    ? patchAsObserved(present, { data: next.data ?? {} })
    : ({ do: 'create', object: next } as const);
  return { actions: [action], download: { request, expires }, requeueAfter: offeredFor };
};

/** Undefined if there is nothing to do now. */
export const offer = (
  file: Downloadable,
  { secret, link }: Offer,
  { now }: Pick<Context, 'now'>,
): Offered | undefined => {
  if (secret.state === 'unread' || secret.state === 'unreadable') return undefined;
  if (link) return link.state === 'found' ? answer(file, { secret, url: link.value.url }, now) : { requeueAfter: 15 };
  const { request = '', expires } = file.download ?? {};
  const left = Math.ceil((Date.parse(expires ?? '') - now) / 1000);
  if (left > 0) return { requeueAfter: left };
  const old = found(secret);
  return { actions: old && isOwnedBy(old, file.object) ? [deletionOf(old)] : [], download: { request } };
};
