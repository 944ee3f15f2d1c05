/** The environment of the front: that of the serving functions, and its listener. */
import * as z from 'zod/mini';
import { nameOf, read, serving } from '../lambdas/environment.ts';

const front = () =>
  z.extend(serving(), {
    /** The default serves this machine only. */
    HOST: z._default(nameOf(), '127.0.0.1'),
    /** 0 = any free one. */
    PORT: z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(65_535)), 8443),
  });

export const frontEnvironment = read(front);
