/** The ObjectStorage port on a bucket of S3. The bucket encrypts by its own default. */
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { type DeletedObject, deletedFor, KeyTaken, type ObjectStorage } from '../../../machinery/object-storage.ts';
import type { Clock } from '../../../machinery/ports.ts';
import { type Attempt, isAnswer, translated } from '../service/error.ts';

export interface S3ObjectsOptions {
  client: Pick<S3Client, 'send'>;
  bucket: string;
  clock: Pick<Clock, 'now'>;
  /** Days for which each new object is locked in governance mode, in a bucket that has Object Lock. */
  lockDays?: number;
  /** Bytes of a part; S3 takes no smaller ones than 5 MiB, except the last. */
  partSize?: number;
}

interface Part {
  PartNumber: number;
  ETag: string | undefined;
  ChecksumCRC32: string | undefined;
}

/** Pieces of `size` bytes; the last one, which may be empty, is marked. */
async function* partsOf(content: AsyncIterable<Uint8Array>, size: number) {
  let chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of content) {
    chunks.push(chunk);
    length += chunk.length;
    if (length < size) continue;
    let pending = Buffer.concat(chunks);
    for (; pending.length > size; pending = pending.subarray(size))
      yield { body: pending.subarray(0, size), isLast: false };
    [chunks, length] = [[pending], pending.length];
  }
  yield { body: Buffer.concat(chunks), isLast: true };
}

const checksum = { ChecksumAlgorithm: 'CRC32' } as const;

/** What S3 tells of one key. */
interface Versions {
  /** The newest one that has a content. */
  content?: { VersionId: string | undefined; at: number };
  /** When it was deleted, as often as it was. */
  markers: number[];
  isDeleted: boolean;
}

const dayMs = 24 * 60 * 60 * 1000;

export const s3Objects = ({
  client,
  bucket: Bucket,
  clock,
  lockDays,
  partSize = 8 * 1024 * 1024,
}: S3ObjectsOptions): ObjectStorage => {
  const attempt = (action: string): Attempt => ({ action, what: `the bucket ${Bucket}` });
  const failed = (error: unknown, action: string, Key: string): Error =>
    isAnswer(error, 'PreconditionFailed') ? new KeyTaken(`${Key} is taken`) : translated(error, attempt(action));

  /** Only absent keys are written, so that a stale worker never replaces a complete object. */
  const absent = { IfNoneMatch: '*' } as const;

  const retention = () =>
    lockDays !== undefined && {
      ObjectLockMode: 'GOVERNANCE' as const,
      ObjectLockRetainUntilDate: new Date(clock.now() + lockDays * dayMs),
    };

  const putWhole = async (Key: string, Body: Uint8Array): Promise<void> => {
    try {
      await client.send(new PutObjectCommand({ Bucket, Key, Body, ...checksum, ...absent, ...retention() }));
    } catch (error) {
      throw failed(error, 's3:PutObject', Key);
    }
  };

  const upload = async (
    Key: string,
    UploadId: string,
    parts: AsyncIterable<{ body: Uint8Array }>,
    first: Uint8Array,
  ): Promise<void> => {
    const uploaded: Part[] = [];
    const send = async (Body: Uint8Array) => {
      const PartNumber = uploaded.length + 1;
      const part = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body, ...checksum });
      const { ETag, ChecksumCRC32 } = await client.send(part);
      uploaded.push({ PartNumber, ETag, ChecksumCRC32 });
    };
    await send(first);
    for await (const { body } of parts) await send(body);
    const MultipartUpload = { Parts: uploaded };
    await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload, ...absent }));
  };

  /** An upload that cannot be aborted here is aborted by the bucket's lifecycle. */
  const abort = async (Key: string, UploadId: string): Promise<void> => {
    try {
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    } catch {}
  };

  const versionsBelow = async (Prefix: string): Promise<Map<string, Versions>> => {
    const all = new Map<string, Versions>();
    const of = (key = ''): Versions => {
      const one = all.get(key) ?? { markers: [], isDeleted: false };
      all.set(key, one);
      return one;
    };
    try {
      for (let KeyMarker: string | undefined, VersionIdMarker: string | undefined, isMore = true; isMore; ) {
        const page = await client.send(new ListObjectVersionsCommand({ Bucket, Prefix, KeyMarker, VersionIdMarker }));
        // Of each key the newest one comes first.
        for (const { Key, VersionId, LastModified } of page.Versions ?? [])
          of(Key).content ??= { VersionId, at: LastModified?.getTime() ?? 0 };
        for (const { Key, IsLatest, LastModified } of page.DeleteMarkers ?? []) {
          of(Key).markers.push(LastModified?.getTime() ?? 0);
          if (IsLatest) of(Key).isDeleted = true;
        }
        ({ NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page);
        isMore = page.IsTruncated === true && KeyMarker !== undefined;
      }
    } catch (error) {
      throw failed(error, 's3:ListBucketVersions', Prefix);
    }
    return all;
  };

  /** The deletion that ended it: a repeated one adds another marker. */
  const endOf = ({ content, markers, isDeleted }: Versions): number | undefined => {
    const deletedAt = content && isDeleted ? Math.min(...markers.filter((at) => at >= content.at)) : Number.NaN;
    return clock.now() - deletedAt <= deletedFor ? deletedAt : undefined;
  };

  return {
    put: async (Key, content) => {
      let broken: unknown;
      const watched = async function* () {
        try {
          yield* content;
        } catch (error) {
          broken = error;
          throw error;
        }
      };
      const parts = partsOf(watched(), partSize);
      const { value: first } = await parts.next();
      if (!first || first.isLast) return putWhole(Key, first?.body ?? new Uint8Array());
      let UploadId: string | undefined;
      try {
        ({ UploadId } = await client.send(
          new CreateMultipartUploadCommand({ Bucket, Key, ...checksum, ...retention() }),
        ));
        await upload(Key, UploadId!, parts, first.body);
      } catch (error) {
        if (UploadId !== undefined) await abort(Key, UploadId);
        // The content's own errors stay what they are.
        throw error === broken ? error : failed(error, 's3:PutObject', Key);
      }
    },
    get: async (Key) => {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
        return Body as Readable;
      } catch (error) {
        if (isAnswer(error, 'NoSuchKey', 'NotFound')) return undefined;
        throw failed(error, 's3:GetObject', Key);
      }
    },
    delete: async (Key) => {
      try {
        await client.send(new DeleteObjectCommand({ Bucket, Key }));
      } catch (error) {
        throw failed(error, 's3:DeleteObject', Key);
      }
    },
    deleted: async (prefix) =>
      [...(await versionsBelow(prefix))]
        .flatMap(([key, versions]): DeletedObject[] => {
          const deletedAt = endOf(versions);
          return deletedAt === undefined ? [] : [{ key, deletedAt }];
        })
        .sort((a, b) => (a.key < b.key ? -1 : 1)),
    getDeleted: async (Key) => {
      const versions = (await versionsBelow(Key)).get(Key);
      if (!versions || endOf(versions) === undefined) return undefined;
      try {
        const { VersionId } = versions.content!;
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, VersionId }));
        return Body as Readable;
      } catch (error) {
        if (isAnswer(error, 'NoSuchVersion', 'NoSuchKey', 'NotFound')) return undefined;
        throw failed(error, 's3:GetObjectVersion', Key);
      }
    },
  };
};
