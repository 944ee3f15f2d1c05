/** Validates the annotations of a Cluster that users set; wings register their own besides. */

import type { FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  type AnnotationCheck,
  type AnnotationChecks,
  annotationFaults,
  oneOf,
} from '../../common/annotation-checks.ts';
import { forbiddenField, invalidValue } from '../../common/validate.ts';
import { isInitialized } from '../contract/cluster-status.ts';
import { finalSnapshotAnnotation } from '../contract/final-snapshot.ts';
import { excludedPath, originAnnotations, originFileOf, pathsIn, restoreFromOf } from '../contract/origin.ts';
import { overrideFault } from '../contract/override.ts';
import { policyAnnotations, wasAvailable } from '../contract/target.ts';
import type { Cluster } from './schema.ts';

const override: AnnotationCheck = (field, value) => {
  const fault = overrideFault(value);
  return fault === undefined ? [] : [invalidValue(field, value, fault)];
};

const snapshotName: AnnotationCheck = (field, value) =>
  /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(value) && value.length <= 253
    ? []
    : [invalidValue(field, value, 'must be the name of an EtcdSnapshot of this namespace')];

const without: AnnotationCheck = (field, value) =>
  pathsIn(value)
    .filter((path) => !excludedPath.test(path))
    .map((path) => invalidValue(field, path, 'must be paths such as deployments/kube-system/external-dns'));

const checks: AnnotationChecks = {
  [policyAnnotations.override]: override,
  [finalSnapshotAnnotation]: oneOf('true', 'false'),
  [originAnnotations.restoreFrom]: snapshotName,
  [originAnnotations.restoreWithout]: without,
  [policyAnnotations.protected]: oneOf('true', 'false'),
  [policyAnnotations.leaveResources]: oneOf('true', 'false'),
};

/** A cluster begins once: its data would be lost. */
const begunOtherwise = (cluster: KubeObject, old: KubeObject | undefined): FieldError[] => {
  const wanted = restoreFromOf(cluster);
  if (!old || wanted === undefined || wanted === restoreFromOf(old)) return [];
  const hasBegun = originFileOf(old) !== undefined || wasAvailable(old) || isInitialized(old as Cluster);
  return hasBegun
    ? [
        forbiddenField(
          `metadata.annotations[${originAnnotations.restoreFrom}]`,
          'can be set only before the cluster is created; capstan snapshot restore returns an existing cluster to a snapshot of its own',
        ),
      ]
    : [];
};

export const validatePolicy = (cluster: KubeObject, old: KubeObject | undefined): FieldError[] => [
  ...begunOtherwise(cluster, old),
  ...annotationFaults(checks, cluster, old),
];
