import type { Permissions } from '../service/permissions.ts';

/** On the objects of the bucket. */
export const objectPermissions = {
  PutObject: ['s3:PutObject'],
  CreateMultipartUpload: ['s3:PutObject'],
  UploadPart: ['s3:PutObject'],
  CompleteMultipartUpload: ['s3:PutObject'],
  AbortMultipartUpload: ['s3:AbortMultipartUpload'],
  // With a version: of a deleted object.
  GetObject: ['s3:GetObject', 's3:GetObjectVersion'],
  DeleteObject: ['s3:DeleteObject'],
} as const satisfies Permissions;

/** On the objects of a bucket whose new objects are locked. None may shorten or bypass a lock. */
export const retentionActions = ['s3:PutObjectRetention'] as const;

/** A link permits what the role that signed it may do. */
export const linkPermissions = { GetObject: ['s3:GetObject'] } as const satisfies Permissions;

/** On the bucket. Without ListBucket S3 answers 403 instead of 404 for an absent object. */
export const bucketPermissions = {
  GetObject: ['s3:ListBucket'],
  ListObjectVersions: ['s3:ListBucketVersions'],
} as const satisfies Permissions;
