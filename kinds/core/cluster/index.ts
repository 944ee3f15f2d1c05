import { filledAnnotation, keepingFilled } from '../../common/filled.ts';
import { scheduleAnnotations } from '../../common/schedule-annotations.ts';
import { coreContracts, coreProvider, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { hookAnnotations } from '../contract/lifecycle-hooks.ts';
import { originFileAnnotation } from '../contract/origin.ts';
import { overrideAudited } from '../contract/override.ts';
import { poolsAnnotation } from '../contract/pools.ts';
import { operationAnnotations } from '../contract/target.ts';
import { topologyAnnotation } from '../topology/progress.ts';
import { columns, columnsV1beta1 } from './columns.ts';
import { fromStorage, toStorage } from './convert.ts';
import { defaultCluster } from './defaults.ts';
import { cluster as facts } from './kind.ts';
import { warnOfOlderForm } from './older-form.ts';
import { warnOfDeletion } from './protection.ts';
import { clusterSpec, clusterSpecV1beta1, clusterStatus, clusterStatusV1beta1 } from './schema.ts';
import { validateCluster, validateClusterV1beta1 } from './validate.ts';

export type * from './schema.ts';

const description = 'A Kubernetes cluster.';

export const cluster = defineKind({
  ...facts,
  shortNames: ['cl'],
  crdLabels: contractLabels(coreProvider, coreContracts),
  reservedAnnotations: [
    ...Object.values(operationAnnotations),
    originFileAnnotation,
    scheduleAnnotations.last,
    filledAnnotation,
    topologyAnnotation,
    hookAnnotations.answers,
    poolsAnnotation,
  ],
  default: (object, admission) => defaultCluster(keepingFilled(object, admission, 'controlPlaneEndpoint')),
  validate: validateCluster,
  warn: (object, admission) => [...warnOfOlderForm(object), ...warnOfDeletion(object, admission)],
  audited: overrideAudited,
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description,
      columns,

      spec: clusterSpec,
      specRequired: true,
      status: clusterStatus,
    },
    {
      name: 'v1beta1',
      served: true,
      ...supersededBy(facts, 'v1beta1', 'v1beta2'),
      description,
      columns: columnsV1beta1,
      validate: validateClusterV1beta1,
      toStorage,
      fromStorage,

      spec: clusterSpecV1beta1,
      status: clusterStatusV1beta1,
    },
  ],
});
