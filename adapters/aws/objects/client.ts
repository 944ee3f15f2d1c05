import { S3Client } from '@aws-sdk/client-s3';
import { settings } from '../lambda/clients.ts';

/** Apart from the other clients, because few functions load it. */
export const s3Client = (): S3Client => new S3Client(settings);
