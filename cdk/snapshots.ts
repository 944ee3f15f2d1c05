/**
 * The bucket of etcd snapshots, which hold the Secrets of workload clusters, and of the inputs of
 * scaling decisions. It outlives the stack, except after a failed first deployment.
 */

import { Duration, type aws_kms as kms, RemovalPolicy, aws_s3 as s3 } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** Days for which a deleted file can be restored from its version. */
const keptDays = 30;

export const createSnapshotBucket = (scope: Construct, key: kms.Key, { lockableSnapshots }: Settings): s3.Bucket =>
  new s3.Bucket(scope, 'Snapshots', {
    encryption: s3.BucketEncryption.KMS,
    encryptionKey: key,
    // One data key for the bucket instead of one per object; the bucket is the encryption context.
    bucketKeyEnabled: true,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
    objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
    versioned: true,
    // Without a rule of its own: decisions, which it holds, too, need no lock.
    ...(lockableSnapshots && { objectLockEnabled: true }),
    lifecycleRules: [
      { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      { noncurrentVersionExpiration: Duration.days(keptDays), expiredObjectDeleteMarker: true },
      // A cluster that scales often replaces its decisions, on which nothing depends.
      { prefix: 'decisions/', expiration: Duration.days(keptDays), noncurrentVersionExpiration: Duration.days(1) },
    ],
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
