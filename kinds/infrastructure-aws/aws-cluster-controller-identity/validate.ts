import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { LabelSelector } from '../../../machinery/api/object.ts';
import { invalidValue, selectorFault } from '../../common/validate.ts';
import type { AWSClusterControllerIdentity } from './schema.ts';

/** The only name that an identity of this kind may have. */
export const defaultName = 'default';

export const validate = ({ metadata, spec }: AWSClusterControllerIdentity, { operation }: Admission): FieldError[] => {
  if (operation === 'delete') return [];
  const selector = spec?.allowedNamespaces?.selector as LabelSelector | undefined;
  const fault = selector && selectorFault(selector);
  return [
    ...(operation === 'create' && metadata.name !== defaultName
      ? [
          invalidValue(
            'name',
            metadata.name,
            'AWSClusterControllerIdentity is a singleton and only acceptable name is default',
          ),
        ]
      : []),
    ...(fault ? [invalidValue('spec.allowedNamespaces.selector', selector, fault)] : []),
  ];
};
