import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { validateReplicas } from '../../common/replicas.ts';
import {
  immutable,
  invalidValue,
  validateTaints,
  validateTemplateMetadata,
  validateVersion,
} from '../../common/validate.ts';
import { validateBootstrap } from '../machine/validate.ts';
import type { MachinePool } from './schema.ts';

export const validateMachinePool = (object: KubeObject, { old }: Admission): FieldError[] => {
  const pool = object as MachinePool;
  if (!pool.spec) return [];
  const { clusterName, template } = pool.spec;
  const before = (old as MachinePool | undefined)?.spec;
  const at = 'spec.template.spec';
  return [
    ...validateBootstrap(at, template.spec),
    ...(before && before.clusterName !== clusterName ? [immutable('spec.clusterName')] : []),
    ...(template.spec.clusterName === clusterName
      ? []
      : [
          invalidValue(
            'spec.clusterName',
            clusterName,
            'spec.clusterName and spec.template.spec.clusterName must be set to the same value',
          ),
        ]),
    ...validateVersion(`${at}.version`, template.spec.version),
    ...validateTaints(`${at}.taints`, template.spec.taints, { worker: true }),
    ...validateTemplateMetadata('spec.template.metadata', template.metadata),
    ...validateReplicas(pool),
  ];
};
