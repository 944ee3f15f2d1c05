/** Every controller, for processes that run them all. */
import { controllers as aws } from './workers/aws.ts';
import { controllers as core } from './workers/core.ts';
import { controllers as workload } from './workers/workload.ts';

export const controllers = await Promise.all(Object.values({ ...core, ...workload, ...aws }).map((load) => load()));
