import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { labels } from '../../common/labels.ts';
import {
  immutable,
  requiredField,
  validateDurations,
  validateReferences,
  validateTaints,
  validateVersion,
} from '../../common/validate.ts';
import { preserveAnnotation, validatePreserve } from '../shared/preservation.ts';
import type { Machine, MachineSpec } from './schema.ts';

/** `at` is the path of the spec, such as spec.template.spec. */
export const validateBootstrap = (at: string, { bootstrap }: MachineSpec): FieldError[] =>
  bootstrap.configRef || bootstrap.dataSecretName !== undefined
    ? []
    : [
        requiredField(
          `${at}.bootstrap`,
          `expected either ${at}.bootstrap.dataSecretName or ${at}.bootstrap.configRef to be populated`,
        ),
      ];

/** etcd and the API server of a control plane Machine would still take part. */
const notPreserved = ({ metadata }: KubeObject, old: KubeObject | undefined): FieldError[] => {
  const value = metadata.annotations?.[preserveAnnotation];
  if (value === undefined || value === old?.metadata.annotations?.[preserveAnnotation]) return [];
  const field = `metadata.annotations[${preserveAnnotation}]`;
  return [{ reason: 'FieldValueForbidden', field, value, detail: 'a control plane Machine cannot be preserved' }];
};

export const validateMachine = (object: KubeObject, { old, byController }: Admission): FieldError[] => {
  const { spec, metadata } = object as Machine;
  if (!spec) return [];
  const ofPool = metadata.labels?.[labels.pool] !== undefined;
  const worker = metadata.labels?.[labels.controlPlane] === undefined;
  const before = (old as Machine | undefined)?.spec;
  return [
    ...(worker
      ? validatePreserve('metadata', metadata.annotations, old?.metadata.annotations)
      : byController
        ? []
        : notPreserved(object, old)),
    ...(ofPool ? [] : validateBootstrap('spec', spec)),
    ...(before && before.clusterName !== spec.clusterName ? [immutable('spec.clusterName')] : []),
    ...validateVersion('spec.version', spec.version),
    ...validateTaints('spec.taints', spec.taints, { worker }),
  ];
};

const timeouts = ['nodeDrainTimeout', 'nodeVolumeDetachTimeout', 'nodeDeletionTimeout'];
/** Errors that only v1beta1 can have in a Machine spec at `at`. */
export const validateMachineSpecV1beta1 =
  (at: string) =>
  (object: KubeObject): FieldError[] => [
    ...validateReferences([`${at}.infrastructureRef`, `${at}.bootstrap.configRef`])(object),
    ...validateDurations(timeouts.map((field) => `${at}.${field}`))(object),
  ];
