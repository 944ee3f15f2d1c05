import { isDeepStrictEqual } from 'node:util';
import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { invalidValue, isEmptySelector, selectorFault } from '../../common/validate.ts';
import type { ClusterResourceSet } from './schema.ts';

export const defaultClusterResourceSet = (object: KubeObject): KubeObject => {
  const set = object as ClusterResourceSet;
  return set.spec && !set.spec.strategy ? { ...set, spec: { ...set.spec, strategy: 'ApplyOnce' } } : object;
};

export const validateClusterResourceSet = (object: KubeObject, { old }: Admission): FieldError[] => {
  const { spec } = object as ClusterResourceSet;
  if (!spec) return [];
  const before = (old as ClusterResourceSet | undefined)?.spec;
  const { clusterSelector, strategy } = spec;
  const fault =
    selectorFault(clusterSelector) ?? (isEmptySelector(clusterSelector) ? 'selector must not be empty' : '');
  return [
    ...(fault ? [invalidValue('spec.clusterSelector', clusterSelector, fault)] : []),
    ...(before?.strategy && before.strategy !== strategy
      ? [invalidValue('spec.strategy', strategy, 'field is immutable')]
      : []),
    ...(before && !isDeepStrictEqual(before.clusterSelector, clusterSelector)
      ? [invalidValue('spec.clusterSelector', clusterSelector, 'field is immutable')]
      : []),
  ];
};
