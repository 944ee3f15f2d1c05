import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { LabelSelector } from '../../../machinery/api/object.ts';
import { invalidValue, selectorFault } from '../../common/validate.ts';
import type { AWSClusterRoleIdentity } from './schema.ts';

export const validate = ({ spec }: AWSClusterRoleIdentity, { operation, old }: Admission): FieldError[] => {
  if (operation === 'delete') return [];
  const before = (old as AWSClusterRoleIdentity | undefined)?.spec;
  const selector = spec?.allowedNamespaces?.selector as LabelSelector | undefined;
  const fault = selector && selectorFault(selector);
  return [
    ...(before?.sourceIdentityRef && !spec?.sourceIdentityRef
      ? [invalidValue('spec.sourceIdentityRef', null, 'field cannot be set to nil')]
      : []),
    ...(fault ? [invalidValue('spec.allowedNamespaces.selector', selector, fault)] : []),
  ];
};
