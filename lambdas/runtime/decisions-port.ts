/** The inputs of scaling decisions in the installation's bucket. */
import { s3Client } from '../../adapters/aws/objects/client.ts';
import { s3Objects } from '../../adapters/aws/objects/s3.ts';
import { decisionsPort } from '../../adapters/decisions/index.ts';
import { systemClock } from '../../adapters/memory/clock.ts';
import type { Port } from '../../machinery/controller/index.ts';
import type { ReachingEnvironment } from '../environment.ts';

export const decisionsPortOf = (environment: ReachingEnvironment): Port =>
  decisionsPort(s3Objects({ client: s3Client(), bucket: environment.SNAPSHOT_BUCKET, clock: systemClock }));
