import { S3Client } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { s3Links } from './link.ts';

it('a link to an object in S3 is signed for it and its time, and asks nothing of S3', async () => {
  const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'session' };
  const client = new S3Client({ region: 'eu-central-1', credentials });
  const url = new URL(await s3Links({ client, bucket: 'bucket' })('a/2026-11-27T05:00:10Z-40.db', 900));
  expect(url.host).toBe('bucket.s3.eu-central-1.amazonaws.com');
  expect(decodeURIComponent(url.pathname)).toBe('/a/2026-11-27T05:00:10Z-40.db');
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    'X-Amz-Expires': '900',
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Security-Token': 'session',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});
