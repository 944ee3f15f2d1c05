import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { withClusterLabel } from '../../common/cluster-label.ts';
import { defaultReplicas } from '../../common/replicas.ts';
import { nodeDeletionTimeout, templateWithVersion, wholeTemplate } from '../machine/defaults.ts';
import type { MachinePool } from './schema.ts';

export const defaultMachinePool = (object: KubeObject, { old }: Admission): KubeObject => {
  const pool = object as MachinePool;
  if (!pool.spec) return object;
  const { clusterName } = pool.spec;
  const { spec, ...template } = templateWithVersion(wholeTemplate(pool.spec.template));
  const replicas = defaultReplicas(pool, old as MachinePool | undefined);
  const deletion = { nodeDeletionTimeoutSeconds: nodeDeletionTimeout, ...spec.deletion };
  return withClusterLabel(
    {
      ...pool,
      spec: {
        ...pool.spec,
        ...(replicas !== undefined && { replicas }),
        template: { ...template, spec: { ...spec, deletion } },
      },
    },
    clusterName,
  );
};
