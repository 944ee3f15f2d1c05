/**
 * The key of Secrets. They are lost without it, so it outlives the stack, except after a failed first
 * deployment. A multi-Region key can be replicated into another region, which then reads what was encrypted
 * here; KMS cannot make one of an existing key.
 */
import { Duration, aws_kms as kms, RemovalPolicy } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

export const createKey = (scope: Construct, { installation, multiRegionKey }: Settings): kms.Key =>
  new kms.Key(scope, 'Key', {
    description: `Secrets of the Capstan installation ${installation}`,
    enableKeyRotation: true,
    multiRegion: multiRegionKey,
    pendingWindow: Duration.days(30),
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });

/**
 * The key of what a restore needs beside a snapshot: the other one, which opens Secrets and snapshots,
 * does not open it.
 */
export const createSnapshotKeysKey = (scope: Construct, { installation, multiRegionKey }: Settings): kms.Key =>
  new kms.Key(scope, 'SnapshotKeysKey', {
    description: `Keys beside the snapshots of the Capstan installation ${installation}`,
    enableKeyRotation: true,
    multiRegion: multiRegionKey,
    pendingWindow: Duration.days(30),
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
