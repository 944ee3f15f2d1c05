import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import { mockedClient } from '../service/sdk-mock.fixture.ts';
import { s3Objects } from './s3.ts';

const s3 = mockedClient(S3Client);
beforeEach(() => {
  s3.reset();
  s3.on(CreateMultipartUploadCommand).resolves({ UploadId: 'upload' });
  s3.on(AbortMultipartUploadCommand).resolves({});
  s3.on(UploadPartCommand).callsFake(({ PartNumber }) => ({
    ETag: `tag-${PartNumber}`,
    ChecksumCRC32: `crc-${PartNumber}`,
  }));
});
const now = Date.parse('2026-11-30T00:00:00Z');
const storage = s3Objects({
  client: new S3Client({ region: 'eu-central-1' }),
  bucket: 'bucket',
  partSize: 10,
  clock: { now: () => now },
});

async function* chunks(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const [i, size] of sizes.entries()) yield Buffer.alloc(size, i + 1);
}
async function* broken(...sizes: number[]): AsyncGenerator<Uint8Array> {
  yield* chunks(...sizes);
  throw new Error('the stream broke off');
}
const refusal = (name: string, httpStatusCode: number) =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode } });
const inputs = (command: Parameters<typeof s3.commandCalls>[0]) =>
  s3.commandCalls(command).map(({ args: [{ input }] }) => input as Record<string, unknown>);

describe('an object in S3', () => {
  it.each([
    { sizes: [], is: 0 },
    { sizes: [3, 7], is: 10 },
  ])('that fits into one part is put in one request: $sizes', async ({ sizes, is }) => {
    await storage.put('a.db', chunks(...sizes));
    expect(inputs(PutObjectCommand)).toMatchObject([{ Bucket: 'bucket', Key: 'a.db', IfNoneMatch: '*' }]);
    expect((inputs(PutObjectCommand)[0]!.Body as Buffer).length).toBe(is);
    expect(s3.calls()).toHaveLength(1);
  });

  it('is uploaded in parts of one size, and completed only if its key is free', async () => {
    await storage.put('a.db', chunks(4, 25, 3));
    const parts = inputs(UploadPartCommand);
    expect(parts.map(({ PartNumber, Body }) => [PartNumber, (Body as Buffer).length])).toEqual([
      [1, 10],
      [2, 10],
      [3, 10],
      [4, 2],
    ]);
    expect(Buffer.concat(parts.map(({ Body }) => Body as Buffer))).toEqual(
      Buffer.concat([Buffer.alloc(4, 1), Buffer.alloc(25, 2), Buffer.alloc(3, 3)]),
    );
    expect(inputs(CompleteMultipartUploadCommand)).toMatchObject([
      {
        UploadId: 'upload',
        IfNoneMatch: '*',
        MultipartUpload: {
          Parts: [1, 2, 3, 4].map((n) => ({ PartNumber: n, ETag: `tag-${n}`, ChecksumCRC32: `crc-${n}` })),
        },
      },
    ]);
  });

  it('is locked in governance mode where the installation asks for that, whatever its size', async () => {
    const client = new S3Client({ region: 'eu-central-1' });
    const locking = s3Objects({ client, bucket: 'bucket', partSize: 10, clock: { now: () => now }, lockDays: 7 });
    await locking.put('small.db', chunks(3));
    await locking.put('large.db', chunks(25));
    const locked = { ObjectLockMode: 'GOVERNANCE', ObjectLockRetainUntilDate: new Date('2026-12-07T00:00:00Z') };
    expect(inputs(PutObjectCommand)).toMatchObject([locked]);
    expect(inputs(CreateMultipartUploadCommand)).toMatchObject([locked]);
    s3.resetHistory();
    await storage.put('small.db', chunks(3));
    expect(inputs(PutObjectCommand)[0]).not.toHaveProperty('ObjectLockMode');
  });

  it('of content that breaks off is aborted, and the error is the content’s own', async () => {
    await expect(storage.put('a.db', broken(25))).rejects.toThrow('the stream broke off');
    expect(inputs(AbortMultipartUploadCommand)).toMatchObject([{ UploadId: 'upload' }]);
    expect(inputs(CompleteMultipartUploadCommand)).toEqual([]);
    await expect(storage.put('a.db', broken(3))).rejects.toThrow('the stream broke off');
    expect(inputs(PutObjectCommand)).toEqual([]);
  });

  it('is aborted when S3 refuses a part', async () => {
    s3.on(UploadPartCommand).rejects(refusal('SlowDown', 503));
    await expect(storage.put('a.db', chunks(25))).rejects.toMatchObject({
      name: 'ServiceUnavailable',
      code: 'SlowDown',
    });
    expect(inputs(AbortMultipartUploadCommand)).toHaveLength(1);
  });

  it.each([{ sizes: [3] }, { sizes: [25] }])('never replaces another one: $sizes', async ({ sizes }) => {
    for (const command of [PutObjectCommand, CompleteMultipartUploadCommand] as const)
      s3.on(command as typeof PutObjectCommand).rejects(refusal('PreconditionFailed', 412));
    await expect(storage.put('a.db', chunks(...sizes))).rejects.toMatchObject({ name: 'KeyTaken' });
  });

  it('that is absent is undefined; a refusal is an error', async () => {
    s3.on(GetObjectCommand).rejects(refusal('NoSuchKey', 404));
    expect(await storage.get('a.db')).toBeUndefined();
    s3.on(GetObjectCommand).rejects(refusal('AccessDenied', 403));
    await expect(storage.get('a.db')).rejects.toThrow(/refused s3:GetObject: allow it/);
  });

  it('is deleted by its key', async () => {
    s3.on(DeleteObjectCommand).resolves({});
    await storage.delete('a.db');
    expect(inputs(DeleteObjectCommand)).toEqual([{ Bucket: 'bucket', Key: 'a.db' }]);
  });
});

describe('a deleted object in S3', () => {
  const at = (day: number) => new Date(`2026-11-${String(day).padStart(2, '0')}T00:00:00Z`);
  const version = (Key: string, day: number, VersionId = `v${day}`) => ({ Key, VersionId, LastModified: at(day) });
  const marker = (Key: string, day: number, IsLatest = true) => ({ Key, LastModified: at(day), IsLatest });
  const pages = [
    {
      Versions: [version('i/a.db', 10), version('i/a.db', 2), version('i/there.db', 3), version('i/cut.db', 9)],
      // The second deletion changed nothing.
      DeleteMarkers: [marker('i/a.db', 14), marker('i/a.db', 12, false), marker('i/a.db', 4, false)],
      IsTruncated: true,
      NextKeyMarker: 'i/cut.db',
      NextVersionIdMarker: 'v9',
    },
    {
      Versions: [version('i/cut.db', 5), { ...version('i/old.db', 1), LastModified: new Date('2026-10-01T00:00:00Z') }],
      DeleteMarkers: [
        marker('i/cut.db', 20),
        marker('i/never.db', 20),
        { ...marker('i/old.db', 1), LastModified: new Date('2026-10-30T00:00:00Z') },
      ],
    },
  ];
  beforeEach(() => {
    s3.on(ListObjectVersionsCommand).callsFake(({ KeyMarker }) => pages[KeyMarker === undefined ? 0 : 1]);
    s3.on(GetObjectCommand).resolves({});
  });

  it('is listed with the deletion that ended its last content, on all pages, for thirty days', async () => {
    expect(await storage.deleted('i/')).toEqual([
      { key: 'i/a.db', deletedAt: at(12).getTime() },
      { key: 'i/cut.db', deletedAt: at(20).getTime() },
    ]);
    expect(inputs(ListObjectVersionsCommand)).toMatchObject([
      { Prefix: 'i/' },
      { KeyMarker: 'i/cut.db', VersionIdMarker: 'v9' },
    ]);
  });

  it('is read by the version that it had', async () => {
    await storage.getDeleted('i/a.db');
    expect(inputs(GetObjectCommand)).toEqual([{ Bucket: 'bucket', Key: 'i/a.db', VersionId: 'v10' }]);
    for (const key of ['i/there.db', 'i/never.db', 'i/old.db', 'i/none.db'])
      expect(await storage.getDeleted(key)).toBeUndefined();
  });

  it('names the permission that is missing', async () => {
    s3.on(ListObjectVersionsCommand).rejects(refusal('AccessDenied', 403));
    await expect(storage.deleted('i/')).rejects.toThrow(/refused s3:ListBucketVersions: allow it/);
  });
});
