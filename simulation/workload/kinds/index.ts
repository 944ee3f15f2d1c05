/** Every built-in kind of a workload cluster. */
import { configMap } from '../../../kinds/kubernetes/config-map/index.ts';
import { coreEvent, event } from '../../../kinds/kubernetes/event/index.ts';
import { lease } from '../../../kinds/kubernetes/lease/index.ts';
import { namespace } from '../../../kinds/kubernetes/namespace/index.ts';
import { secret } from '../../../kinds/kubernetes/secret/index.ts';
import type { KindDefinition } from '../../../machinery/api/kind.ts';
import { appsKinds, batchKinds } from './apps.ts';
import { coreKinds } from './core.ts';
import { otherKinds } from './others.ts';
import { rbacKinds } from './rbac.ts';

export const builtInKinds: KindDefinition[] = [
  namespace,
  // In a simulated cluster, encryption at rest would protect nothing.
  { ...secret, encrypted: false },
  configMap,
  coreEvent,
  event,
  lease,
  ...coreKinds,
  ...appsKinds,
  ...batchKinds,
  ...rbacKinds,
  ...otherKinds,
];
