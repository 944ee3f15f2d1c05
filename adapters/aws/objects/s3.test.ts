import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
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
const storage = s3Objects({ client: new S3Client({ region: 'eu-central-1' }), bucket: 'bucket', partSize: 10 });

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
