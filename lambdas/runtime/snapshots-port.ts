/** Etcd snapshots in the installation's bucket. */

import { kmsKeys } from '../../adapters/aws/keys/kms.ts';
import { kms } from '../../adapters/aws/lambda/clients.ts';
import { s3Client } from '../../adapters/aws/objects/client.ts';
import { s3Links } from '../../adapters/aws/objects/link.ts';
import { s3Objects } from '../../adapters/aws/objects/s3.ts';
import { systemClock } from '../../adapters/memory/clock.ts';
import { createSnapshots, snapshotsPort } from '../../adapters/snapshots/index.ts';
import { fileScratch } from '../../adapters/snapshots/scratch.ts';
import { sealedStorage } from '../../adapters/snapshots/sealed.ts';
import { httpsTransport } from '../../adapters/workload/index.ts';
import type { Port } from '../../machinery/controller/index.ts';
import type { ReachingEnvironment } from '../environment.ts';
import { proxyOf } from './proxy.ts';

export const snapshotsPortOf = (environment: ReachingEnvironment): Port => {
  const stored = { client: s3Client(), bucket: environment.SNAPSHOT_BUCKET, clock: systemClock };
  const lockDays = environment.SNAPSHOT_LOCK_DAYS;
  const files = s3Objects({ ...stored, ...(lockDays !== undefined && { lockDays }) });
  const keys = kmsKeys({ client: kms(), keyId: environment.SNAPSHOT_KEYS_KEY_ID, clock: systemClock });
  return snapshotsPort(
    createSnapshots({
      transport: httpsTransport(proxyOf(environment)),
      storage: files,
      keyStorage: sealedStorage(files, keys),
      linkTo: s3Links(stored),
      toScratch: fileScratch,
      clock: systemClock,
    }),
  );
};
