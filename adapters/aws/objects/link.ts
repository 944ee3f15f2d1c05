import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { translated } from '../service/error.ts';

/** Presigned URLs. One is valid no longer than the credentials that signed it. */
export const s3Links =
  ({ client, bucket: Bucket }: { client: S3Client; bucket: string }) =>
  async (Key: string, expiresIn: number): Promise<string> => {
    try {
      return await getSignedUrl(client, new GetObjectCommand({ Bucket, Key }), { expiresIn });
    } catch (error) {
      throw translated(error, { action: 's3:GetObject', what: `the bucket ${Bucket}` });
    }
  };
