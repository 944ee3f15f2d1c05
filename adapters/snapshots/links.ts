/**
 * Links to objects of an installation in one process. Like a presigned URL of S3, a link grants its
 * holder one object for a while.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ObjectStorage } from '../../machinery/object-storage.ts';
import type { Clock } from '../../machinery/ports.ts';

const root = '/capstan.dev/snapshots/';

/** A URL from which its holder can read the object for that many seconds. */
export type LinkTo = (key: string, seconds: number) => Promise<string>;

export interface Links {
  linkTo: LinkTo;
  /** The object behind a link; undefined if the link is not valid any more, or never was. */
  open(url: string): Promise<AsyncIterable<Uint8Array> | undefined>;
}

export interface LinksOptions {
  storage: Pick<ObjectStorage, 'get'>;
  /** Signs; a restarted process must have the same. */
  secret: string;
  clock: Pick<Clock, 'now'>;
}

export const createLinks = ({ storage, secret, clock }: LinksOptions): Links => {
  const signatureOf = (key: string, expires: string): string =>
    createHmac('sha256', secret).update(`snapshot\n${key}\n${expires}`).digest('hex');
  const isSigned = (key: string, expires: string, signature: string): boolean => {
    const [is, given] = [signatureOf(key, expires), signature].map((text) => Buffer.from(text));
    return is!.length === given!.length && timingSafeEqual(is!, given!);
  };
  return {
    linkTo: async (key, seconds) => {
      const expires = String(Math.ceil(clock.now() / 1000) + seconds);
      const path = key.split('/').map(encodeURIComponent).join('/');
      return `${root}${path}?expires=${expires}&signature=${signatureOf(key, expires)}`;
    },
    open: async (url) => {
      const { pathname, searchParams } = new URL(url, 'https://localhost');
      if (!pathname.startsWith(root)) return undefined;
      const key = pathname.slice(root.length).split('/').map(decodeURIComponent).join('/');
      const [expires, signature] = [searchParams.get('expires') ?? '', searchParams.get('signature') ?? ''];
      if (!isSigned(key, expires, signature) || Number(expires) * 1000 < clock.now()) return undefined;
      return storage.get(key);
    },
  };
};
