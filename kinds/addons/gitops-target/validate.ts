import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { forbiddenField, immutable, invalidValue, isEmptySelector, selectorFault } from '../../common/validate.ts';
import type { GitOpsTarget } from './schema.ts';

export const validateGitOpsTarget = (object: KubeObject, { old }: Admission): FieldError[] => {
  const { spec } = object as GitOpsTarget;
  const before = (old as GitOpsTarget | undefined)?.spec;
  if (!spec) return [];
  const { clusterSelector, tool, project, namespace } = spec;
  const fault =
    selectorFault(clusterSelector) ?? (isEmptySelector(clusterSelector) ? 'selector must not be empty' : '');
  return [
    ...(fault ? [invalidValue('spec.clusterSelector', clusterSelector, fault)] : []),
    ...(before && before.tool !== tool ? [immutable('spec.tool')] : []),
    ...(before && before.namespace !== namespace ? [immutable('spec.namespace')] : []),
    ...(project !== undefined && tool !== 'ArgoCD'
      ? [forbiddenField('spec.project', 'only Argo CD has projects')]
      : []),
  ];
};
