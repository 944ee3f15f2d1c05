import type { Admission, FieldError } from '../../machinery/api/kind.ts';
import type { AWSClusterControllerIdentity } from './schema.ts';

/** The one identity of this kind. */
export const defaultName = 'default';

export const validate = ({ metadata }: AWSClusterControllerIdentity, { operation }: Admission): FieldError[] =>
  operation === 'create' && metadata.name !== defaultName
    ? [
        {
          reason: 'FieldValueInvalid',
          field: 'name',
          value: metadata.name,
          detail: 'AWSClusterControllerIdentity is a singleton and only acceptable name is default',
        },
      ]
    : [];
