/** Every built-in kind of a workload cluster. */
import type { KindDefinition } from '../../../machinery/api/kind.ts';
import { appsKinds, batchKinds } from './apps.ts';
import { coreKinds } from './core.ts';
import { otherKinds } from './others.ts';
import { rbacKinds } from './rbac.ts';

export const builtInKinds: KindDefinition[] = [...coreKinds, ...appsKinds, ...batchKinds, ...rbacKinds, ...otherKinds];
